import {
  type CustomResourceDefinition,
  type FieldError,
  jsonEqual,
  storageVersionNameOf,
  storedVersionsDoubt,
  versionsOf,
} from '@strata/api'
import { isApplied, refusalText, updateErrors, versionNames } from './as-applied.ts'
import type { CrdFacts, CrdPlan, CrdPlanKind, CrdStep, RollbackRisk, StorageMove } from './crd-plan.ts'

type Definition = CustomResourceDefinition
interface Route {
  readonly kind: CrdPlanKind
  readonly steps: readonly CrdStep[]
  readonly moves: readonly StorageMove[]
  readonly missing: readonly string[]
}
interface Pair {
  readonly live: Definition
  readonly wanted: Definition
  readonly stored: readonly string[]
  readonly hasObjects: boolean
}

/** Decides how a live CRD becomes the wanted one: every object stays readable after each step, and no step is refused. */
export function decideCrdPlan({ live, wanted, objects = 'some', old }: CrdFacts): CrdPlan {
  if (live === undefined) {
    const rollback: RollbackRisk = { verdict: 'not applicable', because: noOldCrd, steps: [] }
    return { kind: 'apply', steps: [{ do: 'apply' }], stored: [], moves: [], rollback, missing: [] }
  }
  const pair: Pair = { live, wanted, stored: storedVersionsOf(live), hasObjects: objects === 'some' }
  const refusal = refusalText(live.metadata.name ?? '', updateErrors(live, wanted))
  const route = decideRoute(pair)
  return {
    ...route,
    ...(refusal === undefined ? {} : { refusal }),
    stored: pair.stored,
    rollback: decideRollback(pair, route, old ?? live),
  }
}

const noOldCrd = 'the file creates this CRD, so that there is no old one; --back leaves it as it is'

/** Where the server says nothing, or what it says is in doubt, an object may be stored in any version of the CRD. */
export function storedVersionsOf(definition: Definition): readonly string[] {
  const { storedVersions } = definition.status ?? {}
  return storedVersions?.length && storedVersionsDoubt(definition) === undefined
    ? storedVersions
    : versionNames(definition)
}

function decideRoute(pair: Pair): Route {
  const { live, wanted, stored } = pair
  const from = storageVersionNameOf(live)
  const to = storageVersionNameOf(wanted)
  if (live.metadata.deletionTimestamp !== undefined) {
    return impossible('the CRD is being deleted, and its objects with it: wait for that, then apply the file')
  }
  if (from === undefined || to === undefined) {
    return impossible(`the ${from === undefined ? 'live CRD' : 'new file'} has no storage version`)
  }
  const wantedNames = versionNames(wanted)
  // Steps can clean storedVersions, and nothing else that the server refuses.
  const cleaned = { ...live, status: { ...live.status, storedVersions: [to] } }
  const lasting = updateErrors(cleaned, wanted)
  if (lasting.length > 0) return impossible(...whyLasting(live, lasting))
  if (isApplied(live, wanted)) return { kind: 'none', steps: [], moves: [], missing: [] }
  const isDropped = stored.some((each) => !wantedNames.includes(each))
  const isLast = isLastConversion(pair, to)
  if (!isDropped && !isLast) return ending(pair, [], from, to)
  if (isLast ? from === to : wantedNames.includes(from)) {
    return ending(pair, cleanUp(pair, from, stored), from, to)
  }
  const middle = isLast ? versionNames(live).find((each) => each === to) : commonVersion(live, wanted, to)
  const crossing = middle === undefined ? crossOver(pair, from, to) : crossWithin(pair, from, middle)
  if ('kind' in crossing) return crossing
  const all = [...new Set([...stored, crossing.at])]
  return ending(
    pair,
    [...crossing.steps, ...cleanUp(pair, crossing.at, all)],
    crossing.at,
    to,
    crossing.moves,
  )
}

/**
 * The new file takes the webhook away. Objects in other versions than the new storage version have to be converted before: later,
 * the server only changes the apiVersion, and clients read fields of the old shape in the new version.
 */
function isLastConversion({ live, wanted, stored, hasObjects }: Pair, to: string): boolean {
  if (strategyOf(live) === 'None' || strategyOf(wanted) === 'Webhook' || !hasObjects) return false
  return stored.some((each) => each !== to)
}

function impossible(...missing: readonly string[]): Route {
  return { kind: 'impossible', steps: [], moves: [], missing }
}

const identity: ReadonlySet<string> = new Set([
  'spec.scope',
  'spec.group',
  'spec.names.kind',
  'spec.names.plural',
])

function whyLasting(live: Definition, errors: readonly FieldError[]): readonly string[] {
  const text = refusalText(live.metadata.name ?? '', errors) ?? ''
  if (!errors.some(({ path }) => identity.has(path))) return [text]
  const remedy =
    'its objects are stored under these names: install the new kind beside the old one, and copy the objects'
  return [text, remedy]
}

/** The version that the new file stores, else one that it serves, else any. Undefined if the two share none. */
function commonVersion(live: Definition, wanted: Definition, to: string): string | undefined {
  const names = new Set(versionNames(live))
  const common = versionsOf(wanted).filter(({ name }) => names.has(name))
  const best = common.find(({ name }) => name === to) ?? common.find(({ served }) => served) ?? common[0]
  return best?.name
}

interface Crossing {
  readonly steps: readonly CrdStep[]
  readonly moves: readonly StorageMove[]
  readonly at: string
}

/** To another version of the live CRD: its own conversion already serves it. */
function crossWithin({ live, hasObjects }: Pair, from: string, at: string): Crossing {
  const versions = versionNames(live)
  const conversion = strategyOf(live)
  const moves: readonly StorageMove[] = [{ from, to: at, conversion }]
  const bridge = (storage: string, serve?: string): CrdStep => bridgeStep(versions, storage, 'live', serve)
  const serve = serves(live, at) ? undefined : at
  const asked: readonly CrdStep[] =
    conversion === 'None' || !hasObjects
      ? []
      : [...(serve === undefined ? [] : [bridge(from, serve)]), { do: 'ask', version: at }]
  return { steps: [...asked, bridge(at, serve)], moves, at }
}

/** To a version that only the new file has. */
function crossOver({ live, wanted, hasObjects }: Pair, from: string, at: string): Crossing | Route {
  const versions = union(live, wanted)
  const conversion = strategyOf(wanted)
  if (conversion === 'None' && strategyOf(live) === 'Webhook' && hasObjects) {
    return impossible(
      `${from} and ${at} may differ in shape: the live CRD converts by a webhook, which does not know ${at}, and with the strategy None of the new file the server would only change the apiVersion`,
      `upgrade first to a release that has both ${from} and ${at}, or a version that it shares with each`,
    )
  }
  const moves: readonly StorageMove[] = [{ from, to: at, conversion }]
  const serve = serves(wanted, at) ? undefined : at
  const asked: readonly CrdStep[] =
    conversion === 'None' || !hasObjects
      ? []
      : [bridgeStep(versions, from, 'wanted', serve), { do: 'ask', version: at }]
  return { steps: [...asked, bridgeStep(versions, at, 'wanted', serve)], moves, at }
}

function bridgeStep(
  versions: readonly string[],
  storage: string,
  conversion: 'live' | 'wanted',
  serve?: string,
): CrdStep {
  return { do: 'bridge', versions, storage, conversion, ...(serve === undefined ? {} : { serve }) }
}

/** Objects are rewritten through their storage version: through another one, the server would prune what only that one has. */
function cleanUp({ live }: Pair, keep: string, stored: readonly string[]): readonly CrdStep[] {
  const drop = stored.filter((each) => each !== keep)
  const isOnBridge = storageVersionNameOf(live) !== keep
  const isServed = isOnBridge || serves(live, keep)
  return [
    ...(isServed ? [] : [bridgeStep(versionNames(live), keep, 'live', keep)]),
    { do: 'migrate', to: keep },
    ...(drop.length === 0 ? [] : [{ do: 'prune', keep, drop } as const]),
  ]
}

/** The new file, after a look at whether its webhook can convert what it would have to. */
function ending(
  { live, wanted, hasObjects }: Pair,
  before: readonly CrdStep[],
  from: string,
  to: string,
  moves: readonly StorageMove[] = [],
): Route {
  const conversion = strategyOf(wanted)
  const last: readonly StorageMove[] = from === to ? [] : [{ from, to, conversion }]
  const isAskable =
    versionNames(live).includes(to) &&
    serves(live, to) &&
    jsonEqual(live.spec.conversion ?? null, wanted.spec.conversion ?? null)
  const asked: readonly CrdStep[] =
    last.length === 0 || conversion === 'None' || !hasObjects
      ? []
      : [
          ...(isAskable ? [] : [bridgeStep(union(live, wanted), from, 'wanted', servedOnBridge(wanted, to))]),
          { do: 'ask', version: to },
        ]
  const steps: readonly CrdStep[] = [...before, ...asked, { do: 'apply' }]
  return { kind: kindOf(steps), steps, moves: [...moves, ...last], missing: [] }
}

const servedOnBridge = (wanted: Definition, version: string): string | undefined =>
  serves(wanted, version) ? undefined : version

function kindOf(steps: readonly CrdStep[]): CrdPlanKind {
  if (steps.some((each) => each.do === 'bridge')) return 'bridge'
  return steps.some((each) => each.do === 'migrate') ? 'migrate-first' : 'apply'
}

const union = (live: Definition, wanted: Definition): readonly string[] => [
  ...new Set([...versionNames(live), ...versionNames(wanted)]),
]

const strategyOf = ({ spec }: Definition): StorageMove['conversion'] =>
  spec.conversion?.strategy === 'Webhook' ? 'Webhook' : 'None'

const serves = (definition: Definition, version: string): boolean =>
  versionsOf(definition).some(({ name, served }) => name === version && served)

/** The way back, from where the plan ends. */
function decideRollback(
  { live, wanted, stored, hasObjects }: Pair,
  { kind, steps }: Route,
  old: Definition,
): RollbackRisk {
  const notTaken = { verdict: 'accepted', steps: [] } as const
  if (kind === 'impossible') return { ...notTaken, because: 'nothing is changed' }
  if (kind === 'none') return { ...notTaken, because: 'the live CRD is the new one' }
  const pruned = steps.flatMap((each) => (each.do === 'prune' ? [each] : []))
  const left = pruned.reduce<readonly string[]>(
    (names, { keep, drop }) => [...new Set([...names.filter((each) => !drop.includes(each)), keep])],
    stored,
  )
  const to = storageVersionNameOf(wanted) ?? ''
  const after: Definition = {
    ...wanted,
    metadata: { ...live.metadata, ...wanted.metadata },
    // The plan has settled what was in doubt before.
    status: { ...live.status, conditions: [], storedVersions: [...new Set([...left, to])] },
  }
  if (old !== live && isApplied(after, old)) {
    return { verdict: 'not applicable', because: 'this plan brings the old CRD back', steps: [] }
  }
  const back = decideRoute({ live: after, wanted: old, stored: storedVersionsOf(after), hasObjects })
  const unknown = storedVersionsOf(after).filter((each) => !versionNames(old).includes(each))
  if (back.kind === 'impossible') return { verdict: 'lost', because: back.missing.join('; '), steps: [] }
  if (unknown.length === 0) {
    return { ...notTaken, because: 'the old CRD has every version in which objects can be stored then' }
  }
  const because = `the old CRD does not have ${unknown.join(', ')}, in which objects are stored then`
  return { verdict: 'refused', because, steps: back.steps }
}
