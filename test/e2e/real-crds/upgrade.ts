import assert from 'node:assert/strict'
import type { Instance } from '@strata/rehearsal/generate'
import { TransportError } from '@strata/world'
import type { PublishedCrd, PublishedRelease } from '../../support/published-crds.ts'
import { findInstance } from './find-instance.ts'
import type { Operator } from './operator.ts'
import { crdPath, hasWebhook, kindIn, noWebhook, servedVersions, storageVersion } from './published-kind.ts'

/** An instance that is there while its definition is upgraded again and again. */
export interface Kept {
  readonly crdName: string
  readonly name: string
  readonly uid: string
  /** In which it was stored when it was written. */
  readonly storedIn: string
}

export interface Upgraded {
  /** Definitions that were refused at first. */
  readonly refused: number
  /** Instances that a rule against changes has kept from being rewritten, so that others by their names took their place. */
  readonly remade: readonly Kept[]
}

/** As a release is installed over another: where that is refused, instances are rewritten first, as the refusal asks for. */
export async function upgrade(
  operator: Operator,
  { path, crds }: PublishedRelease,
  { byReplacing }: { readonly byReplacing: boolean },
): Promise<Upgraded> {
  const refusals: string[] = []
  const stuck: PublishedCrd[] = []
  for (const crd of crds) {
    const { status, body } = await operator.ask('GET', crdPath(crd.metadata.name))
    if (status === 404) continue
    const missing: string[] = body.status.storedVersions.filter(
      (name: string) => !crd.spec.versions.some((each) => each.name === name),
    )
    if (missing.length === 0) continue
    stuck.push(crd)
    refusals.push(...missing.map((name) => refusalOf(body.status.storedVersions.indexOf(name), name)))
  }
  const again = byReplacing && crds.every(isInstalledBefore(await namesOf(operator)))
  const args = again
    ? ['replace', '-f', path]
    : ['apply', '--server-side', '--force-conflicts', '--field-manager=installer', '-f', path]
  if (stuck.length === 0) {
    await operator.good(args)
    return { refused: 0, remade: [] }
  }
  const { code, stderr } = await operator.run(args)
  assert.equal(code, 1)
  for (const refusal of refusals) assert.ok(stderr.includes(refusal), `${refusal}\nis not in\n${stderr}`)
  assert.equal(stderr.match(/ is invalid: /g)?.length, stuck.length, stderr)
  const remade: Kept[] = []
  for (const crd of stuck) remade.push(...(await migrate(operator, crd)))
  await operator.good(args)
  return { refused: stuck.length, remade }
}

function refusalOf(index: number, name: string): string {
  return `status.storedVersions[${index}]: Invalid value: "${name}": missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`
}

const isInstalledBefore =
  (names: ReadonlySet<string>) =>
  ({ metadata }: PublishedCrd): boolean =>
    names.has(metadata.name)

async function namesOf(operator: Operator): Promise<Set<string>> {
  return new Set(
    (await operator.good(['get', 'crd', '-o', 'name'])).split('\n').map((line) => line.replace(/.*\//, '')),
  )
}

/** As a client does: a connection that breaks says nothing about what was done, so it looks and does it again. */
async function lookAndDo<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof TransportError)) throw error
    return act()
  }
}

async function addVersions(operator: Operator, crd: PublishedCrd): Promise<void> {
  const target = crdPath(crd.metadata.name)
  const before = await operator.must('GET', target)
  const { file: _, ...next } = crd
  const old = before.spec.versions
    .filter(({ name }: { name: string }) => !crd.spec.versions.some((each) => each.name === name))
    .map((each: object) => ({ ...each, storage: false }))
  const metadata = { ...crd.metadata, resourceVersion: before.metadata.resourceVersion }
  await operator.must('PUT', target, {
    ...next,
    metadata,
    spec: { ...crd.spec, versions: [...crd.spec.versions, ...old] },
  })
}

/** The new definition with the old versions beside it, every instance rewritten, and then said that none is old any more. */
async function migrate(operator: Operator, crd: PublishedCrd): Promise<Kept[]> {
  await lookAndDo(() => addVersions(operator, crd))
  const storage = storageVersion(crd)
  const { path } = kindIn(crd, storage)
  const { items } = await operator.must('GET', path)
  const remade: Kept[] = []
  for (const item of items) {
    const { name } = item.metadata
    const { status, body } = await lookAndDo(async () => {
      const current = await operator.must('GET', `${path}/${name}`)
      return operator.ask('PUT', `${path}/${name}`, current)
    })
    if (status === 200) continue
    // The new version has defaults that the old one had not, and a rule finds that something has changed, as upstream's
    // would. Its project's webhook, which is not there, would have filled them in.
    assert.match(body.message, /is immutable/)
    await operator.must('DELETE', `${path}/${name}`)
    const { instance } = await findInstance(operator, kindIn(crd, storage), name)
    remade.push(await keep(operator, crd, instance))
  }
  const patch = JSON.stringify({ status: { storedVersions: [storage.name] } })
  await operator.good([
    'patch',
    'crd',
    crd.metadata.name,
    '--subresource=status',
    '--type=merge',
    '-p',
    patch,
  ])
  return remade
}

export async function keep(operator: Operator, crd: PublishedCrd, instance: Instance): Promise<Kept> {
  const { name: storedIn } = storageVersion(crd)
  const { path } = kindIn(crd, storageVersion(crd))
  const made = await operator.must('POST', path, instance)
  return { crdName: crd.metadata.name, name: instance.metadata.name, uid: made.metadata.uid, storedIn }
}

/** In every version that can be read; a version that needs a webhook that does not run gives the expected error. */
export async function assertKept(
  operator: Operator,
  crds: readonly PublishedCrd[],
  all: readonly Kept[],
): Promise<number> {
  let unreachable = 0
  for (const { crdName, name, uid, storedIn } of all) {
    const crd = crds.find(({ metadata }) => metadata.name === crdName)
    // A definition that a later release has no more stays, and so do its instances.
    if (!crd) continue
    for (const each of servedVersions(crd)) {
      const { path } = kindIn(crd, each)
      const { status, body } = await operator.ask('GET', `${path}/${name}`)
      if (status === 200) {
        assert.equal(body.metadata.uid, uid)
        assert.equal(body.apiVersion, `${crd.spec.group}/${each.name}`)
        continue
      }
      assert.ok(hasWebhook(crd) && each.name !== storedIn, `${path}/${name}: ${status} ${body.message}`)
      assert.equal(status, 500)
      assert.match(body.message, noWebhook)
      unreachable += 1
    }
  }
  return unreachable
}
