import { fence } from './plays/fence.ts'
import { migrateScene } from './plays/migrate-and-prune.ts'
import { rotateKey } from './plays/rotate-key.ts'
import { skippedRelease } from './plays/skipped-release.ts'
import { upgrade } from './plays/upgrade.ts'
import { vote } from './plays/vote.ts'
import type { Scene } from './scene.ts'

/** In the order in which a new user plays them. */
export const allScenes: readonly Scene[] = [upgrade, vote, fence, migrateScene, skippedRelease, rotateKey]
