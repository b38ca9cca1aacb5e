import { currentServers, type LabServer } from '../lab/lab.ts'
import {
  clientVersion,
  collectionPath,
  type KindVersions,
  type RehearsedKind,
} from '../path/rehearsed-kind.ts'
import { createOne, nameOf } from './create-objects.ts'
import { findNoConverter } from './no-converter.ts'
import { type FieldLoss, type LedgerObject, objectText, touchedLabel, type View } from './object-ledger.ts'
import { type RehearsalRun, serverText } from './rehearsal-run.ts'
import { findUnanswered } from './unanswered.ts'

/** What clients do after each change of the fleet: they write through every server, and read everything through each. */
export async function useObjects(run: RehearsalRun): Promise<void> {
  for (const server of run.lab.servers) if (server.isUp) await writeThrough(run, server)
  const current = currentServers(run.lab)
  for (const server of current) await readThrough(run, server)
  if (current.length > 0 || run.ledger.size === 0) return
  const message = 'no server that is up to date runs: nothing shows what became of the objects'
  run.find({ level: 'could not see', rule: 'no-server', message })
}

async function writeThrough(run: RehearsalRun, server: LabServer): Promise<void> {
  for (const kind of run.kinds) {
    const versions = run.versionsAt(server, kind)
    if (versions === undefined || versions.conversion === 'unknown') continue
    // A late server would wait for its watch before it reads. It can create.
    if (server.isLate) {
      await createOne(run, server, kind, `${nameOf(kind, run.step)}-late-${server.number}`, false)
      continue
    }
    for (const object of run.ledger.of(kind)) if (object.isTouched) await touch(run, server, object, versions)
  }
}

/** Changes a label, as any controller would: the server writes the whole object again. */
async function touch(
  run: RehearsalRun,
  server: LabServer,
  object: LedgerObject,
  versions: KindVersions,
): Promise<void> {
  const version = clientVersion(versions)
  if (version === undefined) return
  const { kind, namespace, name } = object
  const reply = await run.lab.ask(server, {
    method: 'PATCH',
    target: `${collectionPath(kind, version, namespace)}/${name}`,
    body: { metadata: { labels: { [touchedLabel]: `${run.step}-${server.number}` } } },
    headers: { 'content-type': 'application/merge-patch+json' },
  })
  if (reply?.status === 200) return
  // It is missing, or cannot be decoded: what reads it says more.
  if (reply?.status === 404 || reply?.status === 500) return
  const about = { resource: kind.name, object: objectText(object), server: server.number }
  if (reply === undefined) {
    return findUnanswered(run, server, { what: `a change of ${about.object}`, ...about })
  }
  const why = reply.body.message
  if (reply.status === 422) {
    const message = `${objectText(object)} cannot be changed any more: ${why}`
    const fix = 'relax the rule, or bring the objects in line with it first'
    return run.find({ level: 'unsafe', rule: 'unchangeable', message, fix, ...about })
  }
  const message = `${serverText(server)} refuses to change ${objectText(object)}: ${why}`
  run.find({ level: 'refused', rule: 'write-refused', message, ...about })
}

async function readThrough(run: RehearsalRun, server: LabServer): Promise<void> {
  for (const kind of run.kinds) {
    const versions = run.versionsAt(server, kind)
    if (versions === undefined) {
      findUnserved(run, server, kind)
      continue
    }
    if (versions.conversion === 'unknown') {
      findNoConverter(run, kind)
      continue
    }
    for (const version of storageFirst(versions)) await readAll(run, server, kind, version, versions)
  }
}

function findUnserved(run: RehearsalRun, server: LabServer, kind: RehearsedKind): void {
  if (run.ledger.of(kind).length === 0) return
  const message = `release ${server.release} has no ${kind.name}: its objects stay in the store, and ${serverText(server)} does not serve them`
  run.find({ level: 'unsafe', rule: 'not-in-release', message, resource: kind.name, server: server.number })
}

async function readAll(
  run: RehearsalRun,
  server: LabServer,
  kind: RehearsedKind,
  version: string,
  { conversion, storage }: KindVersions,
): Promise<void> {
  const target = `/apis/${kind.group}/${version}/${kind.plural}`
  const reply = await run.lab.ask(server, { method: 'GET', target })
  const about = { resource: kind.name, server: server.number }
  if (reply === undefined) {
    return findUnanswered(run, server, { what: `the list of ${kind.name} in ${version}`, ...about })
  }
  if (reply.status !== 200) {
    const message = `${serverText(server)} cannot read ${kind.name} in ${version}: ${reply.body.message}`
    return run.find({ level: 'unsafe', rule: 'unreadable', message, ...about })
  }
  const found = new Map(reply.body.items.map((each: Found) => [keyOf(each), each]))
  for (const object of run.ledger.of(kind)) {
    const shown = found.get(`${kind.namespaced ? object.namespace : ''}/${object.name}`)
    const at = { ...about, object: objectText(object) }
    if (shown === undefined) {
      const message = `${objectText(object)} is gone: ${serverText(server)} does not list it in ${version}`
      run.find({ level: 'unsafe', rule: 'gone', message, ...at })
      continue
    }
    const view = { version, isStorage: version === storage, isRenamedOnly: conversion === 'names' }
    for (const loss of run.ledger.see(object, view, shown)) findLoss(run, server, { object, view, loss })
  }
}

/** What is lost in the version that is stored is lost; the other versions come after it. */
const storageFirst = ({ served, storage }: KindVersions): readonly string[] =>
  served.toSorted((one, other) => Number(other === storage) - Number(one === storage))

interface Finding {
  readonly object: LedgerObject
  readonly view: View
  readonly loss: FieldLoss
}

function findLoss(run: RehearsalRun, server: LabServer, { object, view, loss }: Finding): void {
  const { path, what, isEmpty } = loss
  const { version, isStorage, isRenamedOnly } = view
  const about = { resource: object.kind.name, object: objectText(object), server: server.number, path }
  if (isRenamedOnly && !isStorage) {
    const message = `${objectText(object)} is stored with ${path}, and shown without it in ${version}: a client that writes it back in ${version} removes it`
    return run.find({ level: 'note', rule: 'field-hidden', message, ...about })
  }
  const change = what === 'lost' ? `has lost ${path}` : `has another value of ${path}`
  const message = `${objectText(object)} ${change}, as ${serverText(server)} shows it in ${version}`
  run.find({ level: isEmpty ? 'note' : 'unsafe', rule: `field-${what}`, message, ...about })
}

interface Found {
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

const keyOf = ({ metadata: { name, namespace = '' } }: Found): string => `${namespace}/${name}`
