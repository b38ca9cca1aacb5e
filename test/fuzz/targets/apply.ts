import {
  type Applied,
  applyObject,
  fieldSetDifference,
  fieldsV1Of,
  isFieldSetEmpty,
  isJsonObject,
  type JsonObject,
  jsonEqual,
  objectMetaSchema,
  parseFieldsV1,
  readManagedFields,
  type Schema,
  setOfObject,
} from '@strata/api'
import { chance, integer, pick, type Random } from '@strata/world'
import { fieldsOf } from '../generate/json.ts'
import { listOf, shortName } from '../generate/text.ts'
import { expect, pureTarget, shown } from '../target.ts'

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

function applyStep(live: JsonObject | undefined, { by, applied: object, force }: Step): Applied {
  return applyObject({
    live,
    applied: { ...object, metadata: { name: 'x' } },
    ...{ schema, apiVersion: 'v1', manager: by, time: '2026-01-01T00:00:00Z', force },
    schemaOf: () => schema,
    convert: (value) => value,
  })
}

const stored = ({ object, managedFields }: Extract<Applied, { outcome: 'applied' }>): JsonObject => ({
  ...(JSON.parse(JSON.stringify(object)) as JsonObject),
  metadata: { name: 'x', managedFields: managedFields ?? [] },
})

/** What loses all its parts is not stored, and so what is empty is not either. */
const withoutEmpty = (object: JsonObject): JsonObject =>
  fieldsOf(Object.entries(object).filter(([, each]) => Object.keys(each ?? {}).length > 0))

/** What the applier has asked for is there, and is its own. */
function checkOwned(live: JsonObject, { by, applied: object }: Step): void {
  const claimed = setOfObject({ ...object, metadata: { name: 'x' } }, schema)
  const { managedFields } = live['metadata'] as { managedFields: never }
  const owned = [...(readManagedFields(managedFields)?.values() ?? [])].find(({ manager }) => manager === by)
  const missing = fieldSetDifference(setOfObject(object, schema), setOfObject(live, schema))
  expect(isFieldSetEmpty(missing), () => `not there: ${shown(fieldsV1Of(missing))}`)
  const unowned = owned ? fieldSetDifference(setOfObject(object, schema), owned.set) : claimed
  expect(
    isFieldSetEmpty(unowned) || Object.keys(object).length === 0,
    () => `${by} does not own ${shown(fieldsV1Of(unowned))}`,
  )
  if (owned) {
    const again = parseFieldsV1(fieldsV1Of(owned.set))
    expect(isFieldSetEmpty(fieldSetDifference(owned.set, again)), () => 'fieldsV1 does not read back')
  }
}

export const apply = pureTarget<{ readonly steps: readonly Step[] }>({
  name: 'apply',
  about:
    'server-side apply by several managers: what is applied is there and owned, twice is once, force never conflicts',
  share: 8,
  open: () => ({
    generate: (random) => ({
      steps: listOf(random, 6, (each) => ({
        ...{ by: pick(each, ['ann', 'bob', 'eve']), force: chance(each, 0.5), applied: applied(each) },
      })),
    }),
    check: ({ steps }) => {
      let live: JsonObject | undefined
      let verdict: 'accepted' | 'refused' = 'refused'
      for (const { by, force, applied: given } of steps) {
        if (!isJsonObject(given)) return 'refused'
        const step = { by, force, applied: withoutEmpty(given) }
        const outcome = applyStep(live, step)
        if (outcome.outcome === 'conflicts') {
          expect(!step.force, () => `a conflict although ${step.by} forces it`)
          expect(
            outcome.conflicts.every(({ manager }) => manager.manager !== step.by),
            () => `${step.by} is in conflict with itself`,
          )
          continue
        }
        live = stored(outcome)
        checkOwned(live, step)
        const again = applyStep(live, step)
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
