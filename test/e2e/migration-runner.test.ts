import assert from 'node:assert/strict'
import { test } from 'node:test'
import { utf8 } from '@strata/world'
import { ask } from '../support/ask.ts'
import { type Certificates, createCertificates } from '../support/certificates.ts'
import { isFullSize } from '../support/full-size.ts'
import { kubectl } from '../support/kubectl.ts'
import {
  loadedGadgets as gadgets,
  loadedPath,
  loadedPrefix,
  loadedRecordName,
} from '../support/loaded-kind.ts'
import { StrataProcess } from '../support/serve-process.ts'
import { until } from '../support/until.ts'
import { WebhookProcess } from '../support/webhook-process.ts'
import { defineGadgets, storeGadgetsIn } from './gadgets.ts'
import { type LiveFleet, withLiveFleet } from './live-fleet.ts'

const count = isFullSize ? 20_000 : 800
const allNames = Array.from({ length: count }, (_, index) => `gadget-${index}`)
const lastListed = allNames.toSorted().at(-1)
const migrations = '/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations'

/** As upstream's documentation shows them. */
const own = {
  apiVersion: 'storagemigration.k8s.io/v1beta1',
  kind: 'StorageVersionMigration',
  metadata: { name: 'gadgets-migration' },
  spec: { resource: { group: gadgets.group, resource: gadgets.plural } },
}
const versioned = {
  apiVersion: 'migration.k8s.io/v1alpha1',
  kind: 'StorageVersionMigration',
  metadata: { generateName: 'gadgets-' },
  spec: { resource: { group: gadgets.group, version: 'v1', resource: gadgets.plural } },
}

async function fill(fleet: LiveFleet): Promise<void> {
  const path = loadedPath(gadgets, 'v1')
  const names = [...allNames]
  const worker = async (): Promise<void> => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      const body = {
        apiVersion: `${gadgets.group}/v1`,
        kind: gadgets.kind,
        metadata: { name },
        spec: { colour: 'red' },
      }
      const { status } = await ask(fleet.transport('a'), 'POST', path, body)
      assert.equal(status, 201)
    }
  }
  await Promise.all(Array.from({ length: 32 }, worker))
}

async function switchTo(fleet: LiveFleet, versionName: 'v1' | 'v2'): Promise<void> {
  await storeGadgetsIn(fleet.transport('a'), versionName)
  const record = `/apis/strata.dev/v1alpha1/storageagreements/${loadedRecordName(gadgets)}`
  await until(`agreed on ${versionName}`, async () => {
    const { body } = await ask(fleet.transport('b'), 'GET', record)
    return body.status?.agreedVersion === `${gadgets.group}/${versionName}`
  })
}

/** The stored objects, read without a server. */
function stored(fleet: LiveFleet): Promise<Readonly<Record<string, number>>> {
  return fleet.withStore(async (store) => {
    const counts: Record<string, number> = {}
    const { signal } = new AbortController()
    const { entries } = await store.list({ prefix: loadedPrefix(gadgets) }, signal)
    for (const { value } of entries) {
      const { apiVersion } = JSON.parse(utf8.decode(value))
      counts[apiVersion] = (counts[apiVersion] ?? 0) + 1
    }
    return counts
  })
}

function startControllers(fleet: LiveFleet, name: string): StrataProcess {
  const process = new StrataProcess(name, [
    'controllers',
    ...['--kubeconfig', fleet.kubeconfig, '--context', 'a', '--context', 'b'],
    ...['--controllers', 'storage-version-migrator', '--metrics-address', '127.0.0.1:0'],
    // So that there is a middle.
    '--migrate-through-api',
  ])
  fleet.processes.push(process)
  return process
}

/** Never answers about the object that is listed last: without it a quick machine is done before anybody has looked. */
const holdLast = ({ origin }: WebhookProcess, { ca }: Certificates) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'hold' },
  webhooks: [
    {
      name: 'hold.example.dev',
      clientConfig: { url: `${origin}/silent`, caBundle: Buffer.from(ca).toString('base64') },
      rules: [
        {
          operations: ['UPDATE'],
          apiGroups: [gadgets.group],
          apiVersions: ['*'],
          resources: [gadgets.plural],
        },
      ],
      matchConditions: [{ name: 'last', expression: `object.metadata.name == '${lastListed}'` }],
      ...{ sideEffects: 'None', admissionReviewVersions: ['v1'], timeoutSeconds: 30 },
    },
  ],
})

test('runner, live: kubectl create -f, kill -9 of the controllers in the middle, and others bring it to Succeeded', async () => {
  const certificates = await createCertificates()
  const webhook = await WebhookProcess.start(certificates)
  try {
    await withLiveFleet({ store: 'sqlite' }, (fleet) =>
      bringToSucceeded(fleet, holdLast(webhook, certificates)),
    )
  } finally {
    await webhook.kill()
    await certificates.remove()
  }
})

async function bringToSucceeded(fleet: LiveFleet, hold: unknown): Promise<void> {
  const run = async (args: readonly string[], input?: unknown) => {
    const ran = await kubectl(args, { kubeconfig: fleet.kubeconfig, home: fleet.directory, input })
    assert.equal(ran.code, 0, ran.stderr)
    return ran.stdout
  }
  await Promise.all([fleet.start('a', 'x+1'), fleet.start('b', 'x+1')])
  await defineGadgets(fleet.transport('a'), fleet.transport('b'))
  await fill(fleet)
  await switchTo(fleet, 'v2')
  assert.deepEqual(await stored(fleet), { [`${gadgets.group}/v1`]: count })
  assert.match(await run(['create', '-f', '-'], own), /gadgets-migration created/)

  await run(['create', '-f', '-'], hold)
  const doomed = startControllers(fleet, 'doomed')
  const killedAt = await until(
    'some of them are done, and written down',
    async () => {
      const { status } = (await ask(fleet.transport('b'), 'GET', `${migrations}/gadgets-migration`)).body
      assert.ok(doomed.running, doomed.output)
      return status?.continueToken?.includes('continueToken') && status.percent < 100 && status
    },
    { giveUpMs: 60_000 },
  )
  await doomed.kill()
  await run(['delete', 'validatingwebhookconfiguration', 'hold'])
  const heirs = ['one', 'other'].map((name) => startControllers(fleet, name))
  const waited = await run([
    ...['wait', '--for=condition=Succeeded', '--timeout=120s'],
    'storageversionmigrations.storagemigration.k8s.io/gadgets-migration',
  ])
  assert.match(waited, /condition met/)
  const { status } = (await ask(fleet.transport('b'), 'GET', `${migrations}/gadgets-migration`)).body
  assert.deepEqual([status.result, status.total, status.quarantined], ['Proven', count, 0])
  // The killed runner had migrated some objects. The next one finds those that it did not count already done.
  const { migrated, alreadyCurrent } = status
  assert.ok(migrated + alreadyCurrent <= count && alreadyCurrent < count, JSON.stringify(status))
  assert.ok(killedAt.migrated > 0)
  assert.deepEqual(await stored(fleet), { [`${gadgets.group}/v2`]: count })
  const described = await run([
    ...['describe', 'storageversionmigrations.storagemigration.k8s.io/gadgets-migration'],
  ])
  for (const reason of ['MigrationStarted', 'MigrationSucceeded']) {
    assert.match(described, new RegExp(`Normal +${reason} .*strata-migration-runner`))
  }
  const definition = `customresourcedefinition/${gadgets.plural}.${gadgets.group}`
  assert.equal(await run(['get', definition, '-o', 'jsonpath={.status.storedVersions}']), '["v2"]')

  assert.match(
    await run(['create', '-f', '-'], versioned),
    /storageversionmigration.migration.k8s.io\/gadgets-\w+ created/,
  )
  await run([
    'wait',
    '--for=condition=Succeeded',
    '--timeout=60s',
    '--all',
    'storageversionmigrations.migration.k8s.io',
  ])
  assert.match(
    await run(['get', 'storageversionmigrations.migration.k8s.io']),
    /gadgets\.v1\.workshop\.example\.org +Succeeded +100/,
  )

  const texts = await Promise.all(
    heirs.map(async (heir) => {
      const [, url = ''] = /metrics are at (\S+)/.exec(heir.output) ?? []
      return (await fetch(url)).text()
    }),
  )
  const label = `resource="${gadgets.group}/v2, Resource=${gadgets.plural}"`
  assert.ok(
    texts.some((text) =>
      text.includes(`storage_migrator_core_migrator_migrations{${label},status="Succeeded"} 2\n`),
    ),
    texts.join('\n'),
  )
  for (const heir of heirs) await heir.terminate()
}
