import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { FleetStatus } from '@strata/insight'

/** Has every field, so that a new field fails the test until the docs list it. */
type Whole<T> = T extends readonly (infer Each)[]
  ? readonly Whole<Each>[]
  : T extends object
    ? { readonly [Key in keyof T]-?: Whole<NonNullable<T[Key]>> }
    : T

const sample: Whole<FleetStatus> = {
  observedAt: '',
  agreed: false,
  unseen: { since: '', because: '' },
  problems: [],
  migrations: {
    ...{ watched: 0, unclean: [], underWay: [], unanswered: [] },
    ...{ controllersAtWork: false, controllersSilentSince: '' },
  },
  advice: [],
  withdrawn: [],
  aggregated: [{ group: '', apiServices: [], agreed: false, unseen: '', servers: [], resources: [] }],
  servers: [
    {
      ...{ name: '', serverID: '', instance: '', release: '', hostname: '', process: '', since: '' },
      ...{ hasLease: true, recordsWrites: true, renewed: '', leaseDurationSeconds: 0, silentSeconds: 0 },
      ...{ refuses: [], refusesEncryptionFile: true },
    },
  ],
  resources: [
    {
      ...{ resource: '', agreed: false, agreedVersion: '', agreedSince: '', disagreedSince: '' },
      ...{ epoch: 0, fenced: false, looseUntilSettled: [], missing: [] },
      servers: {
        byID: {
          ...{ encodes: '', decodes: [], serves: [], guarantee: 'strict', prefers: '' },
          ...{ refusesWrites: true, notServed: true, writesUnder: '' },
        },
      },
      selection: {
        ...{ selectedVersion: '', selectedSince: '', candidates: {}, unanimous: false },
        ...{ undecided: [], notes: [] },
      },
      ...{ persistedVersions: [], persistedKeys: [], keyWaits: [] },
      recordingGap: { epoch: 0, at: '', reason: 'RecordMadeAnew', message: '' },
      ...{ problems: [], unreadable: [], undecodable: [], refusals: [], notServed: [] },
    },
  ],
}

/** What is called in a text `like this`, or `like this[]`. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/`\.?(\w+)(?:\[\])?`/g)].map(([, name]) => name ?? '')

interface Row {
  readonly names: readonly string[]
  readonly about: readonly string[]
  readonly isOfResource: boolean
}

async function documentedRows(): Promise<Row[]> {
  const text = await readFile(join(import.meta.dirname, '../../../../docs/status.md'), 'utf8')
  const [, section = ''] = text.split(/^## JSON and YAML$/m)
  const [table = ''] = section.split(/^## /m)
  return [...table.matchAll(/^\| (`.*?`) \| (.*) \|$/gm)].map(([, names = '', about = '']) => ({
    names: namesIn(names),
    about: namesIn(about),
    isOfResource: names.startsWith('`.'),
  }))
}

/** Of what has parts: what they are called. Ids of servers are no names of fields. */
function partsOf(value: unknown): string[] {
  const [each = {}] = Array.isArray(value) ? value : [value]
  if (typeof each !== 'object' || each === null) return []
  return 'byID' in each ? partsOf(each.byID) : Object.keys(each)
}

const [resource] = sample.resources
const { resources: _, ...top } = sample
for (const [name, fields, isOfResource] of [
  ['of the document', { ...top, resources: [] }, false],
  ['of a resource', resource ?? {}, true],
] as const) {
  test(`docs/status.md: the fields ${name} are those of -o json, no more and no less`, async () => {
    const rows = (await documentedRows()).filter((row) => row.isOfResource === isOfResource)
    assert.deepEqual(rows.flatMap(({ names }) => names).sort(), Object.keys(fields).sort())
    for (const [field, value] of Object.entries(fields)) {
      const { about = [] } = rows.find(({ names }) => names.includes(field)) ?? {}
      const missing = partsOf(value).filter((part) => !about.includes(part))
      assert.deepEqual(missing, [], `parts of ${field}`)
    }
  })
}
