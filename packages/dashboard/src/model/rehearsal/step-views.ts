import { versionNameOf } from '@strata/api'
import { counted } from '@strata/insight'
import {
  type Reason,
  type RehearsalEvent,
  type RehearsalResult,
  type ServerState,
  type StepResult,
  searchText,
  serverText,
  storyTitle,
  summaryOf,
  verdictText,
} from '@strata/rehearsal/result'
import type { StorageRow } from '../storage/storage-rows.ts'
import { newestFirst } from '../version-colours.ts'

export type StepTone = 'good' | 'left' | 'alarm' | 'unknown'

/** The bar of one resource. */
export type LayerRow = Pick<StorageRow, 'resource' | 'layers' | 'total'>

/** One step, and what there is after it. */
export interface StepView {
  readonly step: number
  readonly text: string
  /** `UNSAFE (expected)` */
  readonly verdict: string
  readonly tone: StepTone
  /** Why it has this verdict. */
  readonly reasons: readonly Reason[]
  readonly notes: readonly Reason[]
  readonly servers: readonly ServerState[]
  readonly layers: readonly LayerRow[]
  readonly events: readonly RehearsalEvent[]
  readonly story: { readonly title: string; readonly lines: readonly string[] } | undefined
}

export interface RehearsalView {
  readonly summary: string
  readonly tone: StepTone
  /** Which kind of server it is about, how many, and in which world. */
  readonly about: string
  readonly search: string
  readonly steps: readonly StepView[]
  /** The first step with the worst verdict, if it is not safe. From 0. */
  readonly decisive: number | undefined
}

export function viewOfResult(result: RehearsalResult): RehearsalView {
  const { steps, passed, verdict, servers, world } = result
  const decisive = steps.findIndex((each) => each.verdict === verdict && verdict !== 'safe')
  const where = world === 'simulated' ? 'played in simulated time' : 'played with real processes'
  return {
    summary: summaryOf(result),
    tone: toneOf(verdict, passed),
    about: `${counted(servers, 'server')}, ${serverText(result)}; ${where}`,
    search: searchText(result),
    steps: steps.map((each, index) => viewOfStep(each, steps.slice(0, index + 1), result)),
    decisive: decisive < 0 ? undefined : decisive,
  }
}

function viewOfStep(
  each: StepResult,
  until: readonly StepResult[],
  { events, interleavings: { found } }: RehearsalResult,
): StepView {
  const { step, text, servers, reasons, verdict, passed } = each
  const isFound = found?.step === step
  return {
    ...{ step, text, servers, verdict: verdictText(each), tone: toneOf(verdict, passed) },
    reasons: reasons.filter(({ level }) => level !== 'note'),
    notes: reasons.filter(({ level }) => level === 'note'),
    layers: each.stored.map(({ resource, versions }) => layersOf(resource, versions, until)),
    events: events.filter((event) => event.step === step && event.kind !== 'step'),
    story: found && isFound ? { title: storyTitle(found), lines: found.story.map(unnumbered) } : undefined,
  }
}

/** A step that is as bad as its path says is no alarm, and no good news either. */
function toneOf(verdict: StepResult['verdict'], passed: boolean): StepTone {
  if (verdict === 'safe') return passed ? 'good' : 'left'
  if (verdict === 'could not see') return 'unknown'
  return verdict === 'unsafe' && !passed ? 'alarm' : 'left'
}

/** A layer is old if a newer version has been stored by then: a result does not name the version that is written. */
function layersOf(
  resource: string,
  versions: Readonly<Record<string, number>>,
  until: readonly StepResult[],
): LayerRow {
  const [newest] = versionsOf(resource, until).sort(newestFirst)
  const layers = Object.entries(versions)
    .map(([version, count]) => ({ version: versionNameOf(version), count, key: undefined }))
    .sort((a, b) => newestFirst(b.version, a.version))
    .map((layer) => ({ ...layer, isOld: layer.version !== newest }))
  return { resource, layers, total: layers.reduce((sum, { count }) => sum + count, 0) }
}

const versionsOf = (resource: string, steps: readonly StepResult[]): string[] => [
  ...new Set(
    steps.flatMap(({ stored }) =>
      stored
        .filter((each) => each.resource === resource)
        .flatMap(({ versions }) => Object.keys(versions).map(versionNameOf)),
    ),
  ),
]

/** All versions of each resource, for their colours. */
export function storedVersions({ steps }: RehearsalResult): ReadonlyMap<string, readonly string[]> {
  const resources = new Set(steps.flatMap(({ stored }) => stored.map(({ resource }) => resource)))
  return new Map([...resources].map((resource) => [resource, versionsOf(resource, steps)]))
}

/** The list of the page numbers its lines itself. */
const unnumbered = (line: string): string => line.replace(/^\d+\. /, '')
