import {
  type Application,
  type Applied,
  applyObject,
  fieldsV1Of,
  isJsonObject,
  type JsonObject,
  jsonEqual,
  type ManagedFieldsEntry,
  objectMetaSchema,
  parseFieldsV1,
  type Schema,
} from '@strata/api'
import { chance, integer, pick, type Random } from '@strata/world'
import { fieldsOf } from '../generate/json.ts'
import { listOf, shortName } from '../generate/text.ts'
import { expect, pureTarget, shown } from '../target.ts'
import { leavesOf, ownedLeaves, SimpleApply } from './simple-apply.ts'

const text: Schema = { type: 'string' }
const schema: Schema = {
  type: 'object',
  properties: {
    apiVersion: text,
    kind: text,
    metadata: objectMetaSchema,
    data: { type: 'object', additionalProperties: text },
    atomic: { type: 'array', items: text },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', properties: { name: text, port: { type: 'integer' } } },
    },
  },
}

interface Step {
  readonly by: string
  readonly applied: JsonObject
  readonly force: boolean
}

const managers = ['ann', 'bob', 'eve'] as const

const unique = (random: Random): string[] => [...new Set(listOf(random, 3, shortName))]

function applied(random: Random): JsonObject {
  const fields: readonly (readonly [string, unknown])[] = [
    ['data', fieldsOf(unique(random).map((each) => [each, shortName(random)]))],
    ['atomic', listOf(random, 3, shortName)],
    ['set', unique(random)],
    [
      'ports',
      unique(random).map((name) => ({ name, ...(chance(random, 0.6) ? { port: integer(random, 3) } : {}) })),
    ],
  ]
  return fieldsOf(fields.filter(() => chance(random, 0.6)))
}

type ApplyObject = (application: Application) => Applied

const applyStep = (
  apply: ApplyObject,
  live: JsonObject | undefined,
  { by, applied: object, force }: Step,
): Applied =>
  apply({
    live,
    applied: { ...object, metadata: { name: 'x' } },
    ...{ schema, apiVersion: 'v1', manager: by, time: '2026-01-01T00:00:00Z', force },
    schemaOf: () => schema,
    convert: (value) => value,
  })

const stored = ({ object, managedFields }: Extract<Applied, { outcome: 'applied' }>): JsonObject => ({
  ...(JSON.parse(JSON.stringify(object)) as JsonObject),
  metadata: { name: 'x', managedFields: managedFields ?? [] },
})

/** A map that loses all its fields is not stored, and neither is an empty one. */
const withoutEmpty = (object: JsonObject): JsonObject =>
  fieldsOf(Object.entries(object).filter(([, each]) => Object.keys(each ?? {}).length > 0))

/** Every leaf has the value that the second implementation gives it, and there is no other. */
function checkValues(live: JsonObject, model: SimpleApply): void {
  const found = leavesOf(live)
  expect(found !== undefined, () => `no object of the schema, or twice in a list: ${shown(live)}`)
  for (const [place, value] of model.values)
    expect(
      found.get(place) === value,
      () => `another value: ${place} is ${shown(found.get(place))}, not ${shown(value)}`,
    )
  for (const place of found.keys())
    expect(model.values.has(place), () => `still there: ${place} in ${shown(live)}`)
}

function checkOwners(live: JsonObject, model: SimpleApply): void {
  const { managedFields } = live['metadata'] as { managedFields: readonly ManagedFieldsEntry[] }
  for (const manager of managers) {
    const entries = managedFields.filter((entry) => entry.manager === manager)
    expect(entries.length < 2, () => `${manager} has ${entries.length} entries`)
    const owned = ownedLeaves(entries[0]?.fieldsV1)
    const wanted = model.ownedBy(manager)
    expect(
      jsonEqual(owned, wanted),
      () => `other owners: ${manager} owns ${shown(owned)}, not ${shown(wanted)}`,
    )
    if (!entries[0]) continue
    const read = parseFieldsV1(entries[0].fieldsV1)
    expect(jsonEqual(fieldsV1Of(read), entries[0].fieldsV1), () => 'fieldsV1 does not read back')
  }
}

function checkConflicts(
  outcome: Extract<Applied, { outcome: 'conflicts' }>,
  step: Step,
  wanted: readonly string[],
) {
  expect(!step.force, () => `a conflict although ${step.by} forces it`)
  const found = outcome.conflicts
    .flatMap(({ manager, set }) => ownedLeaves(fieldsV1Of(set)).map((place) => `${manager.manager} ${place}`))
    .sort()
  expect(jsonEqual(found, wanted), () => `conflicts: ${shown(found)}, not ${shown(wanted)}`)
}

/** Tests the given function: the fuzzer's own tests pass functions with mistakes. */
export const applyTarget = (apply: ApplyObject) =>
  pureTarget<{ readonly steps: readonly Step[] }>({
    name: 'apply',
    about:
      'server-side apply by several managers: values, owners and conflicts, compared with a second implementation',
    share: 8,
    open: () => ({
      generate: (random) => ({
        steps: listOf(random, 6, (each) => ({
          ...{ by: pick(each, managers), force: chance(each, 0.5), applied: applied(each) },
        })),
      }),
      check: ({ steps }) => {
        let live: JsonObject | undefined
        let verdict: 'accepted' | 'refused' = 'refused'
        const model = new SimpleApply()
        for (const { by, force, applied: given } of steps) {
          if (!isJsonObject(given)) return 'refused'
          const step = { by, force, applied: withoutEmpty(given) }
          const named = leavesOf(step.applied)
          if (!named) return 'refused'
          const conflicts = model.conflicts(by, named)
          const outcome = applyStep(apply, live, step)
          if (outcome.outcome === 'conflicts') {
            checkConflicts(outcome, step, conflicts)
            continue
          }
          expect(force || conflicts.length === 0, () => `taken without force: ${shown(conflicts)}`)
          model.apply(by, named)
          live = stored(outcome)
          checkValues(live, model)
          checkOwners(live, model)
          const again = applyStep(apply, live, step)
          expect(again.outcome === 'applied', () => 'the same again is a conflict')
          expect(
            jsonEqual(stored(again), live),
            () => `the same again makes ${shown(stored(again))} of ${shown(live)}`,
          )
          verdict = 'accepted'
        }
        return verdict
      },
    }),
  })

export const apply = applyTarget(applyObject)
