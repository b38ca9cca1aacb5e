import { isJsonObject } from '@strata/api'
import { chance, integer, pick, type Random } from '@strata/world'
import { stringify } from 'yaml'
import { readProtobufCaptures } from '../../golden/protobuf-captures.ts'
import { jsonValue, mutateJson } from '../generate/json.ts'
import { mutateBytes, mutateText } from '../generate/mutate-text.ts'
import { listOf, shortName, text } from '../generate/text.ts'
import { recordedBodies, recordedSteps } from '../targets/recorded.ts'
import { type Operation, valueFor } from './from-openapi.ts'
import type { FuzzRequest } from './fuzz-server.ts'

type Draft = Omit<FuzzRequest, 'body' | 'as'> & { readonly value: unknown }

const patchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
] as const

const queries = {
  limit: ['1', '2', '0', '-1', '500', '99999999999999999999', 'x'],
  continue: ['', 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYVx1MDAwMCJ9', 'x'],
  resourceVersion: ['0', '1', '5', '170', '9007199254740993', '9223372036854775807', '-1', 'x'],
  resourceVersionMatch: ['Exact', 'NotOlderThan', 'x'],
  labelSelector: ['a=b', 'a in (b,c)', '!a', 'a>1', 'a in (', ','],
  fieldSelector: ['metadata.name=a', 'metadata.namespace!=default', 'spec.x=1', 'a', '='],
  watch: ['true', '1', 'false', 'x'],
  allowWatchBookmarks: ['true', 'x'],
  sendInitialEvents: ['true', 'false'],
  timeoutSeconds: ['1', '0', '-1', 'x'],
  dryRun: ['All', 'x', ''],
  fieldManager: ['a', '', '\u0000', 'b'.repeat(200)],
  force: ['true', 'false', 'x'],
  fieldValidation: ['Strict', 'Warn', 'Ignore', 'x'],
  pretty: ['true'],
  propagationPolicy: ['Background', 'Foreground', 'Orphan', 'x'],
  gracePeriodSeconds: ['0', '-1', 'x'],
  orphanDependents: ['true'],
} as const satisfies Record<string, readonly [string, ...string[]]>

const accepts = [
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'text/html',
  '*/*',
  '',
] as const

/** Most requests come from the one who may do something. */
const senders = ['admin', 'admin', 'admin', 'admin', 'admin', 'reader', 'anonymous'] as const

let captures: [string, ...string[]] | undefined
const protobufBodies = (): [string, ...string[]] => {
  captures ??= readProtobufCaptures('protobuf').map(({ bodyBase64 }) =>
    Buffer.from(bodyBase64, 'base64').toString('latin1'),
  ) as [string, ...string[]]
  return captures
}

/** Half of them from what the server says it has, half from what real clients have sent; each damaged a little. */
export function generateRequest(
  random: Random,
  operations: readonly [Operation, ...Operation[]],
): FuzzRequest {
  const draft = chance(random, 0.5) ? fromOperation(random, pick(random, operations)) : fromStep(random)
  const { value, ...rest } = chance(random, 0.4) ? damaged(random, draft) : draft
  const { body, contentType } = encoded(random, value, rest.headers['content-type'])
  const headers: Record<string, string> = { ...rest.headers, 'content-type': contentType }
  if (chance(random, 0.15)) headers['accept'] = pick(random, accepts)
  if (chance(random, 0.03)) headers['impersonate-user'] = text(random)
  if (chance(random, 0.02)) headers['impersonate-group'] = 'system:masters'
  return { ...rest, headers, body, as: pick(random, senders) }
}

function fromOperation(random: Random, operation: Operation): Draft {
  const { method, path, query, bodySchema, schemas, groupVersionKind } = operation
  const filled = path
    .replace('{namespace}', chance(random, 0.9) ? 'default' : shortName(random))
    .replaceAll(/\{\w+\}/g, () => shortName(random))
  const chosen = query
    .filter(() => chance(random, 0.08))
    .map(({ name, type }) => `${name}=${encodeURIComponent(queryValue(random, name, type))}`)
  const made = bodySchema && method !== 'GET' ? valueFor(random, bodySchema, schemas) : undefined
  const value =
    isJsonObject(made) && groupVersionKind && method !== 'DELETE' ? named(random, made, operation) : made
  const contentType = method === 'PATCH' ? pick(random, patchTypes) : 'application/json'
  return {
    method,
    target: `${filled}${chosen.length > 0 ? `?${chosen.join('&')}` : ''}`,
    headers: { 'content-type': contentType },
    value: contentType === 'application/json-patch+json' ? patchOf(random) : value,
  }
}

/** Most bodies name their kind and have a name: else nearly all would be refused for that. */
function named(random: Random, made: Record<string, unknown>, { groupVersionKind }: Operation): unknown {
  const { group = '', version = '', kind = '' } = groupVersionKind ?? {}
  const metadata = isJsonObject(made['metadata']) && chance(random, 0.3) ? made['metadata'] : {}
  return {
    ...made,
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind,
    metadata: { ...metadata, name: shortName(random) },
  }
}

const queryValue = (random: Random, name: string, type: string): string => {
  const known = Object.hasOwn(queries, name) ? queries[name as keyof typeof queries] : undefined
  if (known && chance(random, 0.85)) return pick(random, known)
  return type === 'boolean' ? 'true' : text(random).toWellFormed()
}

const patchOf = (random: Random): unknown =>
  listOf(random, 3, (each) => ({
    op: pick(each, ['add', 'replace', 'remove', 'test', 'copy', 'move']),
    path: pick(each, [
      '/metadata/labels',
      '/metadata/labels/a',
      '/data',
      '/data/a',
      '/spec',
      '/metadata/finalizers/-',
      '',
    ]),
    from: '/metadata',
    value: jsonValue(each, 2),
  }))

function fromStep(random: Random): Draft {
  const step = pick(random, recordedSteps())
  const target = chance(random, 0.7)
    ? step.path.replace(/\/namespaces\/[^/?]+\//, '/namespaces/default/')
    : step.path
  return { method: step.method, target, headers: step.headers ?? {}, value: step.body }
}

function damaged(random: Random, draft: Draft): Draft {
  switch (integer(random, 6)) {
    case 0:
      return {
        ...draft,
        target: printable(mutateText(random, draft.target, pick(random, recordedSteps()).path, 2_000)),
      }
    case 1:
      return { ...draft, method: pick(random, ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']) }
    case 2: {
      const name = pick(random, Object.keys(queries) as [keyof typeof queries, ...(keyof typeof queries)[]])
      const sign = draft.target.includes('?') ? '&' : '?'
      return {
        ...draft,
        target: `${draft.target}${sign}${name}=${encodeURIComponent(queryValue(random, name, ''))}`,
      }
    }
    case 3:
      return {
        ...draft,
        headers: {
          ...draft.headers,
          'content-type': pick(random, [...patchTypes, 'application/json', 'text/plain']),
        },
      }
    default:
      return { ...draft, value: mutateJson(random, draft.value ?? {}, () => pick(random, recordedBodies())) }
  }
}

/** The limit of a request line. */
const printable = (target: string): string =>
  `/${target.replace(/^\/+/, '')}`.replaceAll(/[^\x21-\x7e]/g, (each) =>
    encodeURIComponent(each.toWellFormed()),
  )

function encoded(random: Random, value: unknown, given = 'application/json') {
  if (value === undefined) return { body: '', contentType: given }
  if (typeof value === 'string' && chance(random, 0.8)) return { body: latin1(value), contentType: given }
  const draw = random.fraction()
  if (draw < 0.06) return { body: latin1(stringify(value)), contentType: 'application/yaml' }
  if (draw < 0.1) {
    const body = mutateBytes(random, pick(random, protobufBodies()), pick(random, protobufBodies()))
    return { body, contentType: 'application/vnd.kubernetes.protobuf' }
  }
  const json = chance(random, 0.1) ? withOddNumbers(random, JSON.stringify(value)) : JSON.stringify(value)
  const body = draw < 0.15 ? mutateText(random, json, JSON.stringify(pick(random, recordedBodies()))) : json
  return { body: latin1(body), contentType: given }
}

const oddNumbers = [
  '9007199254740993',
  '9223372036854775807',
  '-9223372036854775808',
  '1.0',
  '1e3',
  '-0',
  '1e400',
] as const

/** Numbers that JavaScript would write in another way than they were read. */
const withOddNumbers = (random: Random, json: string): string =>
  json.replaceAll(/(?<=[:[,])-?\d+(?=[,}\]])/g, (each) =>
    chance(random, 0.5) ? pick(random, oddNumbers) : each,
  )

const latin1 = (value: string): string => Buffer.from(value).toString('latin1')
