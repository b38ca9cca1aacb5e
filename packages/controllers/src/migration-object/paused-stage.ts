import { type MigrationView, objectName, resumeCommand } from '@strata/insight'
import type { Stage } from './decide-conditions.ts'

export const pausedStage = (view: Pick<MigrationView, 'group' | 'name'>, failure?: string): Stage => ({
  ...{ kind: 'paused', next: resumeCommand(objectName(view)), failure },
})
