import { groupResourceText, versionNameOf } from '@strata/api'
import { conditionOf, isEnded, type MigrationView, objectName, shownStatus } from '@strata/insight'
import type { EventTone, TimelineSpan } from './timeline-event.ts'

/** Each migration from its creation to its end. */
export function spansOf(views: readonly MigrationView[]): readonly TimelineSpan[] {
  return views.flatMap((view): readonly TimelineSpan[] => {
    const fromMs = Date.parse(view.createdAt)
    if (Number.isNaN(fromMs)) return []
    const resource = groupResourceText(view.resource)
    const target = view.progress.target?.encodingVersion ?? view.servedVersion
    const version = target === undefined ? undefined : versionNameOf(target)
    const text = `${resource}${version === undefined ? '' : ` to ${version}`}: ${stateOf(view)}`
    const layer = version === undefined ? {} : { layer: { resource, version } }
    return [
      {
        ...{ id: objectName(view), fromMs, toMs: endMs(view), tone: toneOf(view), text, ...layer },
        lane: 'migrations',
      },
    ]
  })
}

function stateOf({ phase, isPaused, progress }: MigrationView): string {
  const { percent } = shownStatus(progress)
  const state = phase === 'running' && isPaused ? 'paused' : phase
  return percent === undefined || phase === 'succeeded' ? state : `${state}, ${percent} %`
}

const toneOf = ({ phase }: MigrationView): EventTone =>
  phase === 'failed' ? 'alarm' : phase === 'succeeded' ? 'good' : 'plain'

function endMs(view: MigrationView): number | undefined {
  if (!isEnded(view)) return undefined
  const end = conditionOf(view, 'Succeeded') ?? conditionOf(view, 'Failed')
  const at = Date.parse(end?.lastTransitionTime ?? end?.lastUpdateTime ?? '')
  return Number.isNaN(at) ? undefined : at
}
