import { cancelAnnotation, pausedAnnotation } from '@strata/insight'
import type { MigrationCard } from './migration-cards.ts'

/** What a user can do with a migration, as a change of the object and as the command that does the same. */
export interface CardAction {
  readonly name: 'Pause' | 'Resume' | 'Cancel'
  readonly annotations: Readonly<Record<string, string | null>>
  readonly command: string
  /** Not in a moment of the past: it would act on what is so now. */
  readonly isEnabled: boolean
}

export function actionsOn(
  { phase, object, isForeign }: MigrationCard,
  isPast = false,
): readonly CardAction[] {
  if (isForeign || phase === 'succeeded' || phase === 'failed' || phase === 'cancelling') return []
  const pause =
    phase === 'paused'
      ? act('Resume', object, pausedAnnotation, null)
      : act('Pause', object, pausedAnnotation, 'true')
  const cancel = act('Cancel', object, cancelAnnotation, 'true')
  return [pause, cancel].map((each) => ({ ...each, isEnabled: !isPast }))
}

const act = (
  name: CardAction['name'],
  object: string,
  annotation: string,
  value: string | null,
): Omit<CardAction, 'isEnabled'> => ({
  name,
  annotations: { [annotation]: value },
  command: `kubectl annotate ${object} ${annotation}${value === null ? '-' : `=${value}`}`,
})
