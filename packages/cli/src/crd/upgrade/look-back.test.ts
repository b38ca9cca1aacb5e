import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { exitCodes } from '../../output/exit-codes.ts'
import { crdForTest } from '../plan/crd-for-test.ts'
import type { RollbackRisk } from '../plan/crd-plan.ts'
import type { CrdLook } from './crd-look.ts'
import { KeptDefinitions } from './kept-definition.ts'
import { LampsForTest } from './lamps-for-test.ts'
import { planUpgrades } from './upgrade-crds.ts'
import type { UpgradeSession } from './upgrade-options.ts'

const original = crdForTest({ versions: 'v1*' })
const bridge = crdForTest({ versions: 'v1 v2*', stored: ['v2'] })
const wanted = crdForTest({ versions: 'v2* v3' })

interface Plan {
  readonly live: typeof original
  readonly back?: true
  /** An earlier run has changed the CRD. */
  readonly isKept?: true
}

/** The plan for one CRD without objects. */
async function planOf(t: TestContext, { live, back, isKept }: Plan): Promise<CrdLook | undefined> {
  const simulation = new Simulation('look back')
  const world = simulation.process('cli')
  const directory = mkdtempSync(join(tmpdir(), 'strata-back-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  const { name = '' } = live.metadata
  if (isKept) {
    const kept = new KeptDefinitions(directory, world.random)
    kept.keep(name, { original, sent: [original.spec, live.spec], isLast: false })
  }
  const { client } = new LampsForTest(live, { wanted, onDryRun: () => {}, onList: () => {} })
  const session = {
    ...{ cluster: { client }, directory },
    context: { world, signal: new AbortController().signal },
    options: { acceptLoss: [], back: back === true, dryRun: true, accept: 'observed clean' },
  } as unknown as UpgradeSession
  const document = { name, crd: wanted, manifest: wanted, apiVersion: 'apiextensions.k8s.io/v1' }
  const place = { file: 'f', line: 1 }
  const looks = planUpgrades(session, [{ ...document, unknownFields: [], place } as never])
  return (await simulation.settle(looks))[0]
}

const rollbacks: readonly [string, Plan, RollbackRisk['verdict'], RegExp][] = [
  ['a plan', { live: original }, 'refused', /^the old CRD does not have v2, /],
  ['continued from a bridge', { live: bridge, isKept: true }, 'refused', /^the old CRD does not have v2, /],
  ['the same CRD, and no earlier run', { live: bridge }, 'accepted', /^the old CRD has every version /],
  [
    ...(['taken back', { live: bridge, isKept: true, back: true }] as const),
    ...(['not applicable', /^this plan brings the old CRD back$/] as const),
  ],
]
for (const [name, plan, verdict, because] of rollbacks) {
  test(`the rollback is about the CRD from before the upgrade: ${name}`, async (t) => {
    const rollback = (await planOf(t, plan))?.plan.rollback
    assert.ok(rollback !== undefined)
    assert.equal(rollback.verdict, verdict, rollback.because)
    assert.match(rollback.because, because)
  })
}

test('--back: a CRD that dropped a version is impossible, which is exit code 1', async (t) => {
  const live = crdForTest({ versions: 'v2* v3' })
  const stop = (await planOf(t, { live, back: true, isKept: true }))?.stop
  assert.deepEqual([stop?.result, exitCodes[stop?.exit ?? 'proven']], ['impossible', 1])
  assert.match(stop?.next ?? '', /^strata crd upgrade \S+\.json --accept observed-clean brings the old CRD/)
})

test('--back: without any record of an upgrade, the exit code is 2', async (t) => {
  await assert.rejects(planOf(t, { live: bridge, back: true }), { exitCode: 2, message: /no record/ })
})
