import { counted } from '@strata/insight'
import { generateInstance } from '../generate/generate-instance.ts'
import { currentServers, type Json, type LabServer } from '../lab/lab.ts'
import type { BornObject } from '../path/rehearsal-path.ts'
import {
  clientVersion,
  collectionPath,
  type KindVersions,
  type RehearsedKind,
} from '../path/rehearsed-kind.ts'
import { type RehearsalRun, serverText } from './rehearsal-run.ts'
import { findUnanswered } from './unanswered.ts'

/** Which part of the optional fields is made: all first, so that the loss of any is noticed; less where rules forbid it. */
const shares = [1.6, 1, 0.7, 0.5, 0.3, 0.2, 0.1, 0]

/** Creates the objects of a step, through one server after the other. */
export async function createObjects(
  run: RehearsalRun,
  objects: number | readonly BornObject[],
): Promise<void> {
  if (typeof objects !== 'number') return createGiven(run, objects)
  for (const kind of run.kinds) {
    let made = 0
    for (let number = 1; number <= objects; number++) {
      const server = serverFor(run, kind, number)
      if (server && (await createOne(run, server, kind, `${nameOf(kind, run.step)}-${number}`, number === 1)))
        made++
      else break
    }
    if (made > 0)
      run.tell('write', `clients create ${counted(made, 'object')} of ${kind.name} through every server`)
  }
}

export const nameOf = ({ kind }: RehearsedKind, step: number): string => `${kind.toLowerCase()}-${step}`

function serverFor(run: RehearsalRun, kind: RehearsedKind, turn: number): LabServer | undefined {
  const able = currentServers(run.lab).filter((each) => run.versionsAt(each, kind) !== undefined)
  return able[turn % Math.max(1, able.length)]
}

/** Creates an object with made-up fields. False if no server takes one. */
export async function createOne(
  run: RehearsalRun,
  server: LabServer,
  kind: RehearsedKind,
  name: string,
  isTouched: boolean,
): Promise<boolean> {
  const offer = await offerObject(run, server, kind, name)
  if ('object' in offer) {
    const born = { kind, namespace: 'default', name, bornIn: run.step, isTouched }
    run.ledger.add(born, offer.version, offer.created)
    return true
  }
  if (offer.isUnanswered) {
    findUnanswered(run, server, { what: `the creation of ${name}`, resource: kind.name })
    return false
  }
  if (offer.isRefused) return refused(run, server, kind, name, offer.problem)
  const message = `no object of ${kind.name} could be made up from its schema; the last try: ${offer.problem}`
  const fix = 'give objects of your own: "objects: {file: objects.yaml}"'
  run.find({ level: 'could not see', rule: 'no-object', message, fix, resource: kind.name })
  return false
}

export type Offer =
  | { readonly object: object; readonly target: string; readonly version: string; readonly created: Json }
  /** Refused: a server would not take any object. Else no object that it takes was found. */
  | { readonly isRefused: boolean; readonly isUnanswered?: boolean; readonly problem: string }

/** Makes up an object that the server takes. */
export async function offerObject(
  run: RehearsalRun,
  server: LabServer,
  kind: RehearsedKind,
  name: string,
  query = '',
): Promise<Offer> {
  const versions = run.versionsAt(server, kind)
  const version = versions && clientVersion(versions)
  if (versions === undefined || version === undefined) return { isRefused: true, problem: 'it is not served' }
  const target = collectionPath(kind, version, 'default')
  let problem = 'its schema is too hard'
  for (const share of shares) {
    const object = tryGenerate(kind, versions, version, { name, share })
    if (object === undefined) continue
    const reply = await run.lab.ask(server, { method: 'POST', target: `${target}${query}`, body: object })
    if (reply?.status === 201) return { object, target, version, created: reply.body }
    if (reply === undefined) return { isRefused: false, isUnanswered: true, problem: 'no answer' }
    problem = reply.body.message ?? problem
    if (reply.status !== 422) return { isRefused: true, problem }
  }
  return { isRefused: false, problem }
}

/** A write that a server refuses leaves everything as it is. Clients that have another server do not notice. */
function refused(
  run: RehearsalRun,
  server: LabServer,
  kind: RehearsedKind,
  name: string,
  why: string,
): false {
  const message = `${serverText(server)} refuses to create ${name}: ${why}`
  const isBehind = server.isLate
  run.tell('write', message, server)
  run.find({
    ...{ level: isBehind ? 'note' : 'refused', rule: 'write-refused', message, server: server.number },
    resource: kind.name,
  })
  return false
}

function tryGenerate(
  { kind, group, namespaced }: RehearsedKind,
  versions: KindVersions,
  version: string,
  { name, share }: { readonly name: string; readonly share: number },
): object | undefined {
  try {
    return generateInstance({
      ...{ schema: versions.schemaOf(version), apiVersion: `${group}/${version}`, kind, name, share },
      ...(namespaced ? { namespace: 'default' } : {}),
      ...{ seed: name, withFields: ['spec'], without: versions.hasStatusApart(version) ? ['status'] : [] },
    })
  } catch {
    // It found no text for a pattern, or no set of fields.
    return undefined
  }
}

async function createGiven(run: RehearsalRun, objects: readonly BornObject[]): Promise<void> {
  for (const [index, object] of objects.entries()) {
    const [group = '', version = ''] = object.apiVersion.split('/')
    const kind = run.kinds.find((each) => each.group === group && each.kind === object.kind)
    const { name, namespace = 'default' } = object.metadata
    if (!kind) {
      const message = `${object.kind} ${name}: the path is not about ${object.apiVersion}, and it was not created`
      run.find({ level: 'could not see', rule: 'unknown-kind', message, object: name })
      continue
    }
    const server = serverFor(run, kind, index)
    const target = collectionPath(kind, version, namespace)
    const reply = server && (await run.lab.ask(server, { method: 'POST', target, body: object }))
    if (reply?.status === 201) {
      run.ledger.add({ kind, namespace, name, bornIn: run.step, isTouched: false }, version, reply.body)
      continue
    }
    if (server && reply === undefined) {
      const about = { resource: kind.name, object: name }
      findUnanswered(run, server, { what: `the creation of ${name}`, ...about })
      continue
    }
    const message = `${kind.name} ${name} could not be created: ${reply?.body.message ?? 'no server answered'}`
    run.find({ level: 'refused', rule: 'write-refused', message, resource: kind.name, object: name })
  }
}
