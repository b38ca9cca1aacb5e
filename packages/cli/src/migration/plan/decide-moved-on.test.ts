import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MigrationTarget, TargetDecision } from '@strata/controllers'
import { type ClusterNow, decideMovedOn } from './decide-moved-on.ts'
import type { MigrationPlan, PlannedResource } from './planned-resource.ts'

const definition = { uid: 'u', generation: 2, storageVersion: 'v2' }
const byCrd: MigrationTarget = {
  ...{ resource: { group: 'g.dev', resource: 'things' }, fenced: false, how: 'definition' },
  ...{ encodingVersion: 'g.dev/v2', definition },
}
const byRecord: MigrationTarget = {
  ...{ resource: byCrd.resource, fenced: true, how: 'record', encodingVersion: 'g.dev/v2', epoch: 3 },
}
const byStorageVersion: MigrationTarget = {
  ...{ resource: byCrd.resource, fenced: false, how: 'storageversion', encodingVersion: 'g.dev/v2' },
  resourceVersion: '5',
}
const name = 'things.g.dev'
const agreed = (target: MigrationTarget): TargetDecision => ({ agreed: true, target })

function movedOn(
  planned: Partial<Omit<PlannedResource, 'webhooks'>> & { readonly webhooks?: readonly string[] | undefined },
  decision: TargetDecision | undefined,
  { cluster = 'c', webhooks = [] }: { cluster?: string; webhooks?: readonly string[] } = {},
): readonly string[] {
  const base = { resource: name, exit: 'rehearsed', because: 'fine', refused: [], unknown: [] } as const
  const plan: MigrationPlan = {
    ...{ kind: 'MigrationPlan', version: 1, createdAt: 't', cluster: 'c' },
    resources: [{ ...base, webhooks: [], ...planned } as PlannedResource],
  }
  const now: ClusterNow = {
    cluster,
    targets: new Map(decision ? [[name, decision]] : []),
    webhooks: new Map([[name, webhooks]]),
  }
  return decideMovedOn(plan, now)
}

const rows: readonly [name: string, moved: readonly string[], want: RegExp | undefined][] = [
  ['nothing', movedOn({ target: byCrd }, agreed(byCrd)), undefined],
  ['another cluster', movedOn({ target: byCrd }, agreed(byCrd), { cluster: 'd' }), /cluster c, .* cluster d/],
  [
    'the generation of the CRD',
    movedOn({ target: byCrd }, agreed({ ...byCrd, definition: { ...definition, generation: 3 } })),
    /^things\.g\.dev: the CRD changed \(generation 2 became 3\)$/,
  ],
  [
    'the uid of the CRD',
    movedOn({ target: byCrd }, agreed({ ...byCrd, definition: { ...definition, uid: 'w' } })),
    /deleted and created again/,
  ],
  [
    'the storage version',
    movedOn({ target: byRecord }, agreed({ ...byRecord, encodingVersion: 'g.dev/v3' })),
    /v2 became g\.dev\/v3/,
  ],
  [
    'webhooks, and the plan was made without the right to list them',
    movedOn({ target: byCrd, webhooks: undefined }, agreed(byCrd), { webhooks: ['guard'] }),
    undefined,
  ],
  ['the epoch', movedOn({ target: byRecord }, agreed({ ...byRecord, epoch: 4 })), /epoch 3 became epoch 4/],
  [
    'a StorageVersion that was written again',
    movedOn({ target: byStorageVersion }, agreed({ ...byStorageVersion, resourceVersion: '9' })),
    undefined,
  ],
  ['the servers disagree', movedOn({ target: byCrd }, { agreed: false, because: 'v1, v2' }), /: v1, v2$/],
  ['it cannot be read', movedOn({ target: byCrd }, undefined), /could not be read/],
  ['nothing was planned', movedOn({ because: 'no rights' }, agreed(byCrd)), /no target for it: no rights/],
  [
    'a new webhook',
    movedOn({ target: byCrd }, agreed(byCrd), { webhooks: ['guard'] }),
    /webhooks for its updates were none, and are guard/,
  ],
]
for (const [what, moved, want] of rows) {
  test(`a plan does not hold after a change of: ${what}`, () => {
    if (want === undefined) assert.deepEqual(moved, [])
    else assert.match(moved.join('\n'), want)
  })
}
