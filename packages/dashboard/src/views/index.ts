import type { View } from '../shell/app-context.ts'
import { agreementView } from './agreement/agreement-view.tsx'
import { migrationsView } from './migrations/migrations-view.tsx'
import { rehearsalView } from './rehearsal/rehearsal-view.tsx'
import { safetyView } from './safety/safety-view.tsx'
import { storageView } from './storage/storage-view.tsx'

/** The tabs, from left to right. */
export const views: readonly View[] = [agreementView, storageView, migrationsView, safetyView, rehearsalView]
