import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlannedResource } from '../plan/planned-resource.ts'
import { explainFailure } from './explain-failure.ts'

type Now = Pick<PlannedResource, 'exit' | 'refused' | 'because'>
const fine: Now = { exit: 'rehearsed', refused: [], because: 'no object would be refused' }
const two: Now = { exit: 'incomplete', refused: [{ class: 'schema', count: 2, objects: [] }], because: '' }
const blind: Now = { exit: 'notSeen', refused: [], because: 'no answer' }
const unhandled = 'migration encountered unhandled error: '

const rows: ReadonlyArray<[name: string, message: string, now: Now | undefined, why: RegExp, fix: RegExp]> = [
  [
    'objects are refused',
    `${unhandled}it is invalid`,
    two,
    /^2 objects .*: it is invalid$/,
    /^fix or delete these/,
  ],
  ['1.37 counts', `3/9 not yet migrated. ${unhandled}no`, two, /: no$/, /these objects/],
  [
    'it had not read the resource yet',
    `${unhandled}resource does not exist in GC: <nil>`,
    fine,
    /^the garbage collector of kube-controller-manager had not read this resource yet/,
    /^wait until/,
  ],
  [
    'no such resource',
    'resource does not exist in discovery',
    fine,
    /did not find the resource/,
    /APIService/,
  ],
  [
    'revisions that cannot be compared',
    `${unhandled}error comparing resource versions between GC and SVM resource: resource version is not well formed: abc`,
    fine,
    /not numbers that can be compared/,
    /omit --in-tree/,
  ],
  [
    'about the user of the controller',
    `${unhandled}forbidden`,
    fine,
    /^forbidden\. A dry run of every write by this user is not refused now/,
    /run this again/,
  ],
  ['nobody could be asked', `${unhandled}no`, undefined, /which object it was is not known/, /strata plan/],
  ['the dry run found nothing out', `${unhandled}no`, blind, /is not known: no answer/, /strata plan/],
]
for (const [name, message, now, why, fix] of rows) {
  test(`a failure of upstream's migrator: ${name}`, () => {
    const text = explainFailure(message, now)
    assert.match(text.why, why)
    assert.match(text.fix, fix)
  })
}
