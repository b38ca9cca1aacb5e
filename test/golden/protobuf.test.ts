import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeProtobuf, isJsonObject, openEnvelope, protobufMessage } from '@strata/api'
import { readProtobufCaptures } from './protobuf-captures.ts'

// Bodies that kubectl and kube-controller-manager have sent, and what kube-apiserver 1.36.4 understood.

function decode(base64: string): Record<string, unknown> {
  const { apiVersion, kind, raw } = openEnvelope(Buffer.from(base64, 'base64'))
  const message = protobufMessage(apiVersion, kind)
  assert.ok(message, `no table has ${apiVersion} ${kind}`)
  const parse = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString())
  return { apiVersion, kind, ...decodeProtobuf(raw, message, parse) }
}

/** The server says these in its own words: they are not what the client meant. */
const ofTheServer =
  /^\.metadata\.(?:uid|resourceVersion|creationTimestamp|managedFields|generation)\b|^\.status\b/

/** Paths of what `part` says and `whole` does not say in the same way. Empty structs say nothing. */
function unsaid(part: unknown, whole: unknown, path = ''): string[] {
  if (ofTheServer.test(path)) return []
  if (Array.isArray(part)) {
    if (!Array.isArray(whole)) return [path]
    return part.flatMap((each, index) => unsaid(each, whole[index], `${path}[${index}]`))
  }
  if (isJsonObject(part)) {
    const other = isJsonObject(whole) ? whole : {}
    return Object.entries(part).flatMap(([field, each]) => unsaid(each, other[field], `${path}.${field}`))
  }
  return part === whole || part === ''
    ? []
    : [`${path}: ${JSON.stringify(part)}, not ${JSON.stringify(whole)}`]
}

const requests = readProtobufCaptures('protobuf')
test('protobuf: there are captures to look at', () => assert.ok(requests.length >= 37))

for (const { file, apiVersion, kind, bodyBase64, decodedJSON } of requests) {
  test(`protobuf: ${file} means what upstream read from it`, () => {
    const decoded = decode(bodyBase64)
    assert.equal(decoded['apiVersion'], apiVersion)
    assert.equal(decoded['kind'], kind)
    // Upstream refused two of them; they must be readable all the same. And of rules reviews it repeats nothing.
    if (kind === 'SelfSubjectRulesReview') assert.deepEqual(decoded['spec'], { namespace: 'cap-kubectl' })
    else if (decodedJSON !== null) assert.deepEqual(unsaid(decoded, decodedJSON), [])
    else assert.ok(Object.keys(decoded).includes('metadata'))
  })
}

/** Answers are complete, so both sides must say the same. Without what protobuf has no word for. */
const withoutNulls = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_key, each: unknown) => (each === null ? undefined : each)))

/** Lists and watch events are never sent to a server. */
const isRequestKind = (kind: string | undefined): boolean =>
  kind !== undefined && !/(?<!Resource)List$/.test(kind)
for (const { file, kind, bodyBase64, json } of readProtobufCaptures('protobuf-responses')) {
  if (!isRequestKind(kind)) continue
  test(`protobuf: the answer ${file} is the same as in JSON`, () => {
    const decoded = withoutNulls(decode(bodyBase64)) as Record<string, unknown>
    const said = withoutNulls(json) as Record<string, unknown>
    // Legacy discovery of the core group names no version in its envelope.
    assert.deepEqual({ ...decoded, apiVersion: '' }, { ...said, apiVersion: '' })
  })
}
