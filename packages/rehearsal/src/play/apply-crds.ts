import type { CustomResourceDefinition } from '@strata/api'
import { currentServers, type Json, type LabServer } from '../lab/lab.ts'
import { versionsOfCrd } from '../path/rehearsed-kind.ts'
import { type RehearsalRun, serverText } from './rehearsal-run.ts'

const crdsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const knownMs = 60_000
const betweenLooksMs = 200

/** Applies the CRDs of a release, as one file each. A CRD that the release does not have stays. */
export async function applyCrds(run: RehearsalRun, release: string, late: readonly number[]): Promise<void> {
  const { subject } = run.path
  if (subject.kind !== 'crds') return
  run.setLate(late)
  for (const number of late) run.tell('server', `server ${number} does not hear of CRDs any more`)
  const [server] = currentServers(run.lab)
  if (!server) return
  run.crdRelease = release
  for (const crd of subject.releases.get(release) ?? []) await applyOne(run, server, crd)
  for (const each of currentServers(run.lab)) await untilKnown(run, each)
}

async function applyOne(run: RehearsalRun, server: LabServer, crd: CustomResourceDefinition): Promise<void> {
  const { name = '' } = crd.metadata
  const target = `${crdsPath}/${name}`
  const live = await run.lab.ask(server, { method: 'GET', target })
  const { apiVersion, kind } = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' }
  const { labels, annotations } = crd.metadata
  const metadata = { name, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) }
  const body = { apiVersion, kind, metadata, spec: crd.spec }
  const isNew = live?.status === 404
  const replaced = {
    ...body,
    metadata: { ...metadata, resourceVersion: live?.body.metadata?.resourceVersion },
  }
  const reply = isNew
    ? await run.lab.ask(server, { method: 'POST', target: crdsPath, body })
    : await run.lab.ask(server, { method: 'PUT', target, body: replaced })
  const isTaken = reply?.status === (isNew ? 201 : 200)
  run.tell('crd', `the CRD ${name} is ${isTaken ? 'applied' : 'refused'}`)
  if (isTaken) return
  const message = reply?.body.message ?? `${name}: no answer`
  const fix = `"strata crd upgrade" leads there: it rewrites the objects and prunes status.storedVersions first`
  run.find({ level: 'refused', rule: 'crd-refused', message, fix, resource: name })
}

/** Waits until a server serves every CRD as it is now. */
async function untilKnown(run: RehearsalRun, server: LabServer): Promise<void> {
  const { lab } = run
  for (let waitedMs = 0; waitedMs < knownMs; waitedMs += betweenLooksMs) {
    const reply = await lab.ask(server, { method: 'GET', target: crdsPath })
    const crds: readonly CustomResourceDefinition[] = reply?.body.items ?? []
    if (await allServed(run, server, crds)) {
      run.crds.clear()
      for (const crd of crds) run.crds.set(crd.metadata.name ?? '', crd)
      return
    }
    await lab.pass(betweenLooksMs)
  }
  const message = `${serverText(server)} does not serve the CRDs within ${knownMs / 1000} seconds`
  run.find({ level: 'could not see', rule: 'not-served', message, server: server.number })
}

async function allServed(
  run: RehearsalRun,
  server: LabServer,
  crds: readonly CustomResourceDefinition[],
): Promise<boolean> {
  for (const crd of crds) {
    const { group, names } = crd.spec
    const wanted = versionsOfCrd(crd, {}).served
    const reply = await run.lab.ask(server, { method: 'GET', target: `/apis/${group}` })
    const served: readonly string[] = (reply?.body.versions ?? []).map((each: Json) => each.version)
    if (!wanted.every((each) => served.includes(each))) return false
    const [first] = wanted
    const list = await run.lab.ask(server, { method: 'GET', target: `/apis/${group}/${first}` })
    const isListed = (list?.body.resources ?? []).some(({ name }: Json) => name === names.plural)
    if (first !== undefined && !isListed) return false
  }
  return true
}

/** The CRDs as they are now; their storedVersions change with what is written. */
export async function refreshCrds(run: RehearsalRun): Promise<void> {
  const [server] = currentServers(run.lab)
  if (!server || run.path.subject.kind !== 'crds') return
  const reply = await run.lab.ask(server, { method: 'GET', target: crdsPath })
  for (const crd of reply?.body.items ?? []) run.crds.set(crd.metadata.name, crd)
}
