import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createCertificates } from '../support/certificates.ts'
import { isFullSize } from '../support/full-size.ts'
import type { StrataProcess } from '../support/serve-process.ts'
import { until } from '../support/until.ts'
import { WebhookProcess } from '../support/webhook-process.ts'
import { Desk, lampName, lampsName } from './lamps.ts'
import { withLiveFleet } from './live-fleet.ts'

const count = isFullSize ? 4_000 : 2_400
const record = `storageversionmigrations.migration.k8s.io/strata-migrate-${lampsName}`
const inV2 = (objects: number) => ({ 'light.example.dev/v2': objects })
/** Slowly enough to be caught in the middle. */
const slowly = ['--through-api', '--concurrency', isFullSize ? '4' : '1', '--page-size', String(count / 8)]

interface Status {
  readonly migrated?: number
  readonly percent?: number
  readonly result?: string
}

async function statusOf(desk: Desk): Promise<Status> {
  const { stdout } = await desk.kubectl(['get', record, '-o', 'jsonpath={.status}'])
  return stdout === '' ? {} : JSON.parse(stdout)
}

/** Some are rewritten, and others are not; it is frozen then. It stands still while it is looked at, however fast it is. */
async function untilHalfWay(desk: Desk, run: StrataProcess, more = 0): Promise<number> {
  const patience = { giveUpMs: 120_000 }
  await until('it has begun', () => run.output.includes('progress is stored in') || !run.running, patience)
  const look = async (): Promise<number | undefined> => {
    assert.ok(run.running, run.output)
    run.signal('SIGSTOP')
    const { migrated = 0, percent = 0 } = await statusOf(desk)
    if (migrated > more && percent < 90) return migrated
    run.signal('SIGCONT')
    return undefined
  }
  return until('it is in the middle', look, patience)
}

test('migrate: killed, stopped, started twice at once, and brought to the end; verified, pruned, and the old version goes', async (t) => {
  await withLiveFleet({ store: 'sqlite' }, async (fleet) => {
    await Promise.all([fleet.start('a', 'x+2'), fleet.start('b', 'x+2')])
    const desk = new Desk(fleet)
    await desk.fill(count)
    assert.equal((await desk.switchTo('v2')).code, 0)
    assert.match(
      (await desk.switchTo('v2', ['v2'])).stderr,
      /status\.storedVersions\[0\]: Invalid value: "v1": missing from spec\.versions; v1 was previously a storage/,
    )

    const killed = desk.strata('migrate', 'lp', ...slowly)
    const before = await untilHalfWay(desk, killed)
    await killed.kill()
    const stopped = desk.strata('migrate', lampsName, ...slowly)
    await untilHalfWay(desk, stopped, before)
    stopped.signal('SIGINT')
    stopped.signal('SIGCONT')
    assert.equal((await stopped.ended()).code, 130, stopped.output)
    assert.match(stopped.output, new RegExp(`resuming ${record}: the process that ran it has ended`))
    assert.match(
      stopped.stdout,
      /it was stopped\n {2}API servers: .*\n {2}Resume it where it stopped: strata migrate lamps\./,
    )
    const halfWay = await desk.stored()
    assert.ok((halfWay['light.example.dev/v1'] ?? 0) > 0, JSON.stringify(halfWay))

    const first = desk.strata('migrate', 'lamps', ...slowly)
    await until('the first is at it', () => first.output.includes('progress is stored in'))
    const second = desk.strata('migrate', 'lamp', '-o', 'json')
    assert.equal((await first.ended()).code, 0, first.output)
    assert.equal((await second.ended()).code, 0, second.output)
    assert.match(first.output, /resuming .*: it was paused/)
    t.diagnostic(`\n${first.output}`)
    const [seen] = JSON.parse(second.stdout).resources
    assert.deepEqual(
      [seen.resource, seen.outcome, seen.proof, seen.total],
      [lampsName, 'succeeded', 'proven', count],
    )
    assert.deepEqual(await desk.stored(), inV2(count))
    assert.equal((await statusOf(desk)).result, 'Proven')

    const verified = await desk.ran('verify', 'lamps')
    assert.equal(verified.code, 0, verified.said)
    assert.match(
      verified.said,
      /^lamps\.light\.example\.dev +proven +light\.example\.dev\/v2 +agreement record, epoch \d+, fenced/m,
    )
    t.diagnostic(`\n${verified.said}`)

    const rehearsed = await desk.ran('prune', lampsName, '--dry-run')
    assert.equal(rehearsed.code, 0, rehearsed.said)
    assert.deepEqual(await desk.storedVersions(), ['v1', 'v2'])
    const pruned = await desk.ran('prune', lampsName)
    assert.equal(pruned.code, 0, pruned.said)
    assert.match(pruned.said, /^lamps\.light\.example\.dev +pruned +v2 +v2 +v1$/m)
    t.diagnostic(`\n${pruned.said}`)
    assert.deepEqual(await desk.storedVersions(), ['v2'])
    const removed = await desk.switchTo('v2', ['v2'])
    assert.equal(removed.code, 0, removed.stderr)
    const name = lampName(count - 1)
    assert.match(
      await desk.mustKubectl(['get', 'lamps', name, '-o', 'yaml']),
      /apiVersion: light\.example\.dev\/v2/,
    )
  })
})

test('migrate: one object that a webhook denies: all others are migrated, it is named with the reason, and nothing is pruned', async (t) => {
  const certificates = await createCertificates()
  const webhook = await WebhookProcess.start(certificates)
  try {
    await withLiveFleet({ store: 'sqlite' }, async (fleet) => {
      await fleet.start('a', 'x+2')
      const desk = new Desk(fleet)
      await desk.fill(count)
      await desk.mustKubectl(['label', 'lamps', lampName(7), 'guarded=yes'])
      const hook = {
        name: 'guard.example.dev',
        clientConfig: {
          url: `${webhook.origin}/deny`,
          caBundle: Buffer.from(certificates.ca).toString('base64'),
        },
        rules: [
          {
            operations: ['UPDATE'],
            apiGroups: ['light.example.dev'],
            apiVersions: ['*'],
            resources: ['lamps'],
          },
        ],
        objectSelector: { matchLabels: { guarded: 'yes' } },
        ...{ sideEffects: 'None', admissionReviewVersions: ['v1'] },
      }
      await desk.mustKubectl(['create', '-f', '-'], {
        ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' },
        ...{ metadata: { name: 'guard' }, webhooks: [hook] },
      })
      assert.equal((await desk.switchTo('v2')).code, 0)

      const rehearsed = await desk.ran('migrate', 'lamps', '--dry-run')
      assert.equal(rehearsed.code, 1, rehearsed.said)
      assert.match(rehearsed.said, new RegExp(`^  default/${lampName(7)}: Denied: `, 'm'))
      assert.deepEqual(await desk.stored(), { 'light.example.dev/v1': count })

      const { code, said } = await desk.ran('migrate', 'lamps')
      t.diagnostic(`\n${said}`)
      assert.equal(code, 1, said)
      assert.match(said, /^lamps\.light\.example\.dev +incomplete +/m)
      assert.match(
        said,
        /rewriting each object through the API, because admission webhooks apply: guard\.example\.dev/,
      )
      const named = `default/${lampName(7)}: Denied: admission webhook "guard.example.dev" denied the request: not today`
      assert.ok(said.includes(named), said)
      assert.deepEqual(await desk.stored(), { 'light.example.dev/v1': 1, ...inV2(count - 1) })
      const verified = await desk.ran('verify', 'lamps')
      assert.equal(verified.code, 1, verified.said)
      for (const flags of [[], ['--accept', 'observed-clean'], ['--accept', 'unknown']]) {
        const refused = await desk.ran('prune', lampsName, ...flags)
        assert.equal(refused.code, 1, refused.said)
        assert.match(refused.said, /^ {2}Next: strata migrate /m)
        assert.match(refused.said, /^lamps\.light\.example\.dev +refused +v1, v2 +v2 +-$/m)
      }
      assert.deepEqual(await desk.storedVersions(), ['v1', 'v2'])

      await desk.mustKubectl(['delete', 'validatingwebhookconfiguration', 'guard'])
      // A migration that was cancelled while no runner could end it is not continued.
      await desk.mustKubectl(['create', '-f', '-'], {
        ...{ apiVersion: 'storagemigration.k8s.io/v1beta1', kind: 'StorageVersionMigration' },
        metadata: { name: 'cancelled', annotations: { 'strata.dev/cancel': 'true' } },
        spec: { resource: { group: 'light.example.dev', resource: 'lamps' } },
      })
      const mended = await desk.ran('migrate', 'lamps')
      assert.equal(mended.code, 0, mended.said)
      const cancelled = 'storageversionmigrations.storagemigration.k8s.io/cancelled'
      assert.match(mended.said, new RegExp(`${cancelled} was cancelled, and is now marked as failed`))
      const why = 'jsonpath={.status.conditions[?(@.type=="Failed")].message}'
      assert.equal(await desk.mustKubectl(['get', cancelled, '-o', why]), 'it was cancelled')
      assert.deepEqual(await desk.stored(), inV2(count))
    })
  } finally {
    await webhook.kill()
    await certificates.remove()
  }
})

test('migrate: a user who may only touch the objects gets a list of every missing right, and may rehearse', async () => {
  await withLiveFleet({ store: 'sqlite' }, async (fleet) => {
    await fleet.start('a', 'x+2')
    const desk = new Desk(fleet)
    await desk.fill(5)
    assert.equal((await desk.switchTo('v2')).code, 0)
    await desk.mustKubectl(['create', 'serviceaccount', 'eve'])
    await desk.mustKubectl([
      'create',
      'clusterrole',
      'toucher',
      '--verb=get,list,patch',
      `--resource=${lampsName}`,
    ])
    await desk.mustKubectl([
      'create',
      'clusterrolebinding',
      'eve',
      '--clusterrole=toucher',
      '--serviceaccount=default:eve',
    ])
    const token = (await desk.mustKubectl(['create', 'token', 'eve'])).trim()
    const config = JSON.parse(await readFile(fleet.kubeconfig, 'utf8'))
    for (const each of config.users) each.user = { token }
    const kubeconfig = join(fleet.directory, 'eve.kubeconfig')
    await writeFile(kubeconfig, JSON.stringify(config))
    const missing =
      /lacks list, get, create, patch, delete of storageversionmigrations\.migration\.k8s\.io;.* patch of storageversionmigrations\.migration\.k8s\.io\/status/
    const { code, said } = await desk.ran('migrate', 'lamps', '--kubeconfig', kubeconfig)
    assert.equal(code, 5, said)
    assert.match(said, missing)
    assert.match(said, /\n {2}Run it again when that is fixed: strata migrate lamps\./)
    // A rehearsal stores no progress.
    const rehearsed = desk.strata('migrate', 'lamps', '--kubeconfig', kubeconfig, '--dry-run', '-o', 'json')
    assert.equal((await rehearsed.ended()).code, 0, rehearsed.output)
    const [{ exit, proof }] = JSON.parse(rehearsed.stdout).resources
    assert.deepEqual([exit, proof], ['rehearsed', 'unknown'])
  })
})
