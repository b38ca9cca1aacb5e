import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  decideRemedy,
  type KnownRelease,
  migrateCommand,
  type RemedyFacts,
  remedyText,
} from './decide-remedy.ts'

const v1 = 'example.dev/v1'
const v2 = 'example.dev/v2'
const v3 = 'example.dev/v3'
const releases: readonly KnownRelease[] = [
  { release: 'x', decodable: [v1], writes: v1 },
  { release: 'x+1', decodable: [v1, v2], writes: v1 },
  { release: 'x+2', decodable: [v1, v2], writes: v2 },
  { release: 'x+3', decodable: [v2], writes: v2 },
]
const migrate = 'migrate first ("strata migrate things")'
const toV2 =
  'bring all servers that write v1 to a release that reads v1 and v2 and writes v2 (for instance x+2), then run "strata migrate things" (before that, it changes nothing)'
const toV1 =
  'bring all servers that write v2 to a release that reads v1 and v2 and writes v1 (for instance x+1), then run "strata migrate things" (before that, it changes nothing)'

const rows: readonly [name: string, facts: RemedyFacts, text: string][] = [
  [
    'x+1 everywhere, to x+3: what is written is what it cannot read',
    { stored: [v1], decodable: [v2], written: [v1], readable: [v1, v2], releases },
    toV2,
  ],
  [
    'x+2 everywhere, back to x',
    { stored: [v2], decodable: [v1], written: [v2], readable: [v1, v2], releases },
    toV1,
  ],
  [
    'half of them write the one, half the other',
    { stored: [v1, v2], decodable: [v2], written: [v1, v2], readable: [v1, v2], releases },
    toV2,
  ],
  [
    'x+2 everywhere, to x+3: only what is left of earlier times is in the way',
    { stored: [v1, v2], decodable: [v2], written: [v2], readable: [v1, v2], releases },
    migrate,
  ],
  ['who reads what is not known', { stored: [v1, v2], decodable: [v2], written: [v2], releases }, migrate],
  [
    'an unknown version that may also be stored changes nothing',
    { stored: ['Unknown', v1, v2], decodable: [v2], written: [v2], readable: [v1, v2], releases },
    migrate,
  ],
  [
    'x+3 everywhere, over objects left in v1: no server there reads them',
    { stored: [v1, v2], decodable: [v2], written: [v2], readable: [v2], releases },
    'start a server of a release that reads v1 and v2 and writes v2 (for instance x+2), then run "strata migrate things"',
  ],
  [
    'no server writes: a server that is started writes alone',
    { stored: [v1], decodable: [v2], written: [], readable: [], releases },
    'start a server of a release that reads v1 and v2 and writes v2 (for instance x+2), then run "strata migrate things"',
  ],
  [
    'who writes what is not known',
    { stored: [v1], decodable: [v2], releases },
    'start a server of a release that reads v1 and v2 and writes v2 (for instance x+2), replace any server that writes v1, then run "strata migrate things"',
  ],
  [
    'no release is known that does it',
    { stored: [v1], decodable: [v2], written: [v1] },
    toV2.replace(' (for instance x+2)', ''),
  ],
  [
    'it reads several, and any of them will do',
    { stored: [v1], decodable: [v3, v2], written: [v1], releases },
    'bring all servers that write v1 to a release that reads v1 and writes v2 or v3 (for instance x+2), then run "strata migrate things" (before that, it changes nothing)',
  ],
  [
    'it does not have the resource',
    { stored: [v1], decodable: [], written: [v1], releases },
    'no migration helps: take a release that has this resource',
  ],
  [
    'versions of two groups that are called the same are named in full',
    { stored: ['v1'], decodable: ['events.k8s.io/v1'], written: ['v1'] },
    'bring all servers that write v1 to a release that reads events.k8s.io/v1 and v1 and writes events.k8s.io/v1, then run "strata migrate things" (before that, it changes nothing)',
  ],
]
for (const [name, facts, text] of rows) {
  test(`remedy: ${name}`, () => assert.equal(remedyText(decideRemedy(facts), migrateCommand('things')), text))
}
