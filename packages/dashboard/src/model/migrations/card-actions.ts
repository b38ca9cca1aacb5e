import { cancelAnnotation, pausedAnnotation } from '@strata/insight'
import type { MigrationCard } from './migration-cards.ts'

/** What a user can do with a migration, as a change of the object and as the command that does the same. */
export interface CardAction {
  readonly name: 'Pause' | 'Resume' | 'Cancel'
  readonly annotations: Readonly<Record<string, string | null>>
  readonly command: string
}

export function actionsOn({ phase, object, isForeign }: MigrationCard): readonly CardAction[] {
  if (isForeign || phase === 'succeeded' || phase === 'failed' || phase === 'cancelling') return []
  const pause =
    phase === 'paused'
      ? act('Resume', object, pausedAnnotation, null)
      : act('Pause', object, pausedAnnotation, 'true')
  return [pause, act('Cancel', object, cancelAnnotation, 'true')]
}

const act = (
  name: CardAction['name'],
  object: string,
  annotation: string,
  value: string | null,
): CardAction => ({
  name,
  annotations: { [annotation]: value },
  command: `kubectl annotate ${object} ${annotation}${value === null ? '-' : `=${value}`}`,
})
