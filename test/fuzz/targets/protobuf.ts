import {
  decodeProtobuf,
  isRawNumber,
  jsonEqual,
  MalformedProtobuf,
  openEnvelope,
  protobufMessage,
} from '@strata/api'
import { chance, integer, pick, type Random } from '@strata/world'
import { readProtobufCaptures } from '../../golden/protobuf-captures.ts'
import { fieldsOf, jsonValue } from '../generate/json.ts'
import { mutateBytes } from '../generate/mutate-text.ts'
import { bytes, listOf, name, text } from '../generate/text.ts'
import { expect, pureTarget, shown } from '../target.ts'
import { encodeMessage } from './encode-protobuf.ts'

type Message = NonNullable<ReturnType<typeof protobufMessage>>
type Field = Message['fields'] extends ReadonlyMap<number, infer F> ? F : never

const parseJson = (raw: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(raw).toString())
  } catch {
    throw new MalformedProtobuf('not JSON')
  }
}

/** Every object has the prototype that every object has: no key has slipped in another. */
function checkPlain(value: unknown): void {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return
  const wanted = Array.isArray(value) ? Array.prototype : Object.prototype
  expect(
    Object.getPrototypeOf(value) === wanted,
    () => `an object with a prototype of its own: ${shown(value)}`,
  )
  for (const each of Object.values(value)) checkPlain(each)
}

export const protobuf = pureTarget<{ readonly body: string }>({
  name: 'protobuf',
  about: 'damaged protobuf bodies: decoded to plain JSON, or refused',
  share: 12,
  open: () => {
    const captures = (['protobuf', 'protobuf-responses'] as const)
      .flatMap(readProtobufCaptures)
      .map(({ bodyBase64 }) => Buffer.from(bodyBase64, 'base64').toString('latin1'))
      .filter((each) => each.length < 20_000) as [string, ...string[]]
    return {
      generate: (random) => ({ body: mutateBytes(random, pick(random, captures), pick(random, captures)) }),
      check: ({ body }) => {
        try {
          const { apiVersion, kind, raw } = openEnvelope(Buffer.from(body, 'latin1'))
          const message = protobufMessage(apiVersion, kind)
          if (!message) return 'refused'
          const value = decodeProtobuf(raw, message, parseJson)
          checkPlain(value)
          expect(
            jsonEqual(JSON.parse(JSON.stringify(value)), value),
            () => `${shown(value)} is not what JSON makes of it`,
          )
          return 'accepted'
        } catch (error) {
          if (error instanceof MalformedProtobuf) return 'refused'
          throw error
        }
      },
    }
  },
})

const kinds: readonly (readonly [apiVersion: string, kind: string])[] = [
  ['v1', 'ConfigMap'],
  ['v1', 'Secret'],
  ['v1', 'Namespace'],
  ['v1', 'Event'],
  ['v1', 'ResourceQuota'],
  ['coordination.k8s.io/v1', 'Lease'],
  ['rbac.authorization.k8s.io/v1', 'ClusterRole'],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
  ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration'],
  ['internal.apiserver.k8s.io/v1alpha1', 'StorageVersion'],
]
const messageOf = (kind: number): Message | undefined =>
  protobufMessage(...(kinds[kind % kinds.length] ?? (['v1', 'ConfigMap'] as const)))

/** A value of one field, as JSON has it. Undefined for what the tables cannot say both ways. */
function scalarValue(random: Random, type: string): unknown {
  switch (type) {
    case 'string':
      return text(random).toWellFormed()
    case 'bool':
      return chance(random, 0.5)
    case 'int32':
      return pick(random, [0, 1, -1, 2 ** 31 - 1, -(2 ** 31), integer(random, 1000)])
    case 'int64':
      return pick(random, [0, 1, -1, 2 ** 53 - 1, -(2 ** 53 - 1), integer(random, 1000)])
    case 'double':
      return pick(random, [0, 1.5, -2.25, 1e300, integer(random, 1000)])
    case 'bytes':
      return Buffer.from(bytes(random, integer(random, 6)), 'latin1').toString('base64')
    case 'json':
      return jsonValue(random, 2)
    default:
      return undefined
  }
}

function fieldValue(random: Random, { shape, type }: Field, depth: number): unknown {
  const one = (): unknown =>
    typeof type === 'string'
      ? scalarValue(random, type)
      : type().isUnion || depth === 0
        ? undefined
        : messageValue(random, type(), depth - 1)
  if (shape === 'one') return one()
  if (shape === 'inline') return undefined
  const many = listOf(random, 2, one).filter((each) => each !== undefined)
  if (many.length === 0) return undefined
  return shape === 'list' ? many : fieldsOf(many.map((each) => [name(random), each]))
}

function messageValue(random: Random, { fields }: Message, depth: number): Record<string, unknown> {
  const entries = [...fields.values()]
    .filter(() => chance(random, 0.4))
    .map((field) => [field.name, fieldValue(random, field, depth)] as const)
  return fieldsOf(entries.filter(([, value]) => value !== undefined))
}

/** A value after a round trip through Go's encoder: zeros of fields that are no pointers are dropped. */
function withoutZeros(value: Record<string, unknown>, { fields }: Message): Record<string, unknown> {
  const byName = new Map([...fields.values()].map((field) => [field.name, field]))
  const kept = Object.entries(value).flatMap(([fieldName, each]): (readonly [string, unknown])[] => {
    const field = byName.get(fieldName)
    if (!field) return []
    const { type, shape } = field
    if (typeof type === 'string') {
      const isZero = shape === 'one' && (each === '' || each === 0 || each === false)
      return isZero && !field.keepsZero ? [] : [[fieldName, each]]
    }
    const below = (part: unknown): unknown => withoutZeros(part as Record<string, unknown>, type())
    if (shape === 'list') return [[fieldName, (each as unknown[]).map(below)]]
    if (shape === 'map')
      return [[fieldName, fieldsOf(Object.entries(each as object).map(([key, part]) => [key, below(part)]))]]
    return [[fieldName, below(each)]]
  })
  return fieldsOf(kept)
}

export const protobufValues = pureTarget<{ readonly kind: number; readonly value: Record<string, unknown> }>({
  name: 'protobuf-values',
  about: 'objects of built-in kinds, written by a second encoder and decoded to the same JSON',
  share: 8,
  open: () => ({
    generate: (random) => {
      const kind = integer(random, kinds.length)
      const message = messageOf(kind)
      return { kind, value: message ? messageValue(random, message, 4) : {} }
    },
    check: ({ kind, value }) => {
      const message = messageOf(kind)
      if (!message) return 'refused'
      const found = decodeProtobuf(encodeMessage(value, message), message, parseJson)
      const wanted = withoutZeros(value, message)
      expect(jsonEqual(found, wanted), () => `decodes ${shown(found)} instead of ${shown(wanted)}`)
      return 'accepted'
    },
  }),
})
