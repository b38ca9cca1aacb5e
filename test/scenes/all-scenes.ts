import { scene as cilium } from './cilium-47774.ts'
import { scene as crossplane } from './crossplane-6148.ts'
import { scene as flux } from './flux2-5598.ts'
import type { OwnFleet, Tools } from './ground.ts'
import { Ground } from './ground.ts'
import { scene as k3s } from './k3s-5933.ts'
import { scene as karpenter } from './karpenter-7734.ts'
import { scene as ksvm } from './ksvm-83.ts'
import { scene as kubernetes } from './kubernetes-111937.ts'
import { scene as longhorn } from './longhorn-11886.ts'
import { scene as neco } from './neco-880.ts'
import { NotHere, type Scene } from './scene.ts'
import { scene as tekton } from './tekton-1753.ts'

export const scenes: readonly Scene[] = [
  ...[flux, longhorn, karpenter, cilium, ksvm],
  ...[tekton, k3s, neco, crossplane, kubernetes],
]

export interface Played {
  readonly scene: Scene
  readonly result: 'passed' | 'failed' | 'not here'
  /** Why, unless it passed. */
  readonly why: string
  /** Every command with what it printed. */
  readonly transcript: string
}

/** `fluxcd/flux2#5598` becomes `flux2-5598`. */
export const slugOf = ({ thread }: Scene): string =>
  thread
    .replace(/^[^/]+\//, '')
    .replace('#', '-')
    .toLowerCase()

/** Plays a scene on ground of its own, which is cleared afterwards. */
export async function playScene(scene: Scene, tools: Tools, own?: OwnFleet): Promise<Played> {
  const lines: string[] = []
  const ground = new Ground(slugOf(scene), tools, own, (line) => lines.push(line))
  const played = (result: Played['result'], why = ''): Played => ({
    scene,
    result,
    why,
    transcript: lines.join('\n'),
  })
  try {
    await ground.begin()
    await scene.play(ground)
    return played('passed')
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return played(error instanceof NotHere ? 'not here' : 'failed', why)
  } finally {
    await ground.end()
  }
}
