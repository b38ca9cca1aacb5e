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

/** Paths of what upstream read and we did not: a decoder that loses a field must not pass. */
function unread(recorded: unknown, decoded: unknown, defaults: readonly string[]): string[] {
  return unsaid(recorded, decoded)
    .map((each) => each.split(':')[0] ?? '')
    .filter((path) => !defaults.includes(path.replaceAll(/\[\d+\]/g, '[]')))
}

/** Fields that upstream adds, by kind: defaults and computed values. Nothing else may be missing. */
const added: Readonly<Record<string, readonly string[]>> = {
  ClusterRole: ['.rules'],
  CronJob: [
    '.spec.concurrencyPolicy',
    '.spec.suspend',
    '.spec.jobTemplate.spec.template.spec.containers[].terminationMessagePath',
    '.spec.jobTemplate.spec.template.spec.containers[].terminationMessagePolicy',
    '.spec.jobTemplate.spec.template.spec.containers[].imagePullPolicy',
    '.spec.jobTemplate.spec.template.spec.terminationGracePeriodSeconds',
    '.spec.jobTemplate.spec.template.spec.dnsPolicy',
    '.spec.jobTemplate.spec.template.spec.schedulerName',
    '.spec.successfulJobsHistoryLimit',
    '.spec.failedJobsHistoryLimit',
  ],
  Deployment: [
    '.spec.template.spec.containers[].ports[].protocol',
    '.spec.template.spec.containers[].terminationMessagePath',
    '.spec.template.spec.containers[].terminationMessagePolicy',
    '.spec.template.spec.containers[].imagePullPolicy',
    '.spec.template.spec.restartPolicy',
    '.spec.template.spec.terminationGracePeriodSeconds',
    '.spec.template.spec.dnsPolicy',
    '.spec.template.spec.schedulerName',
    '.spec.strategy.type',
    '.spec.strategy.rollingUpdate.maxUnavailable',
    '.spec.strategy.rollingUpdate.maxSurge',
    '.spec.revisionHistoryLimit',
    '.spec.progressDeadlineSeconds',
  ],
  Event: ['.eventTime'],
  HorizontalPodAutoscaler: ['.spec.minReplicas', '.spec.metrics'],
  Job: [
    '.metadata.labels.batch.kubernetes.io/controller-uid',
    '.metadata.labels.batch.kubernetes.io/job-name',
    '.metadata.labels.controller-uid',
    '.metadata.labels.job-name',
    '.spec.parallelism',
    '.spec.completions',
    '.spec.backoffLimit',
    '.spec.selector.matchLabels.batch.kubernetes.io/controller-uid',
    '.spec.manualSelector',
    '.spec.template.metadata.labels.batch.kubernetes.io/controller-uid',
    '.spec.template.metadata.labels.batch.kubernetes.io/job-name',
    '.spec.template.metadata.labels.controller-uid',
    '.spec.template.metadata.labels.job-name',
    '.spec.template.spec.containers[].terminationMessagePath',
    '.spec.template.spec.containers[].terminationMessagePolicy',
    '.spec.template.spec.containers[].imagePullPolicy',
    '.spec.template.spec.terminationGracePeriodSeconds',
    '.spec.template.spec.dnsPolicy',
    '.spec.template.spec.schedulerName',
    '.spec.completionMode',
    '.spec.suspend',
    '.spec.podReplacementPolicy',
  ],
  Namespace: ['.metadata.labels.kubernetes.io/metadata.name', '.spec.finalizers'],
  Secret: ['.type'],
  Service: [
    '.spec.clusterIP',
    '.spec.clusterIPs',
    '.spec.sessionAffinity',
    '.spec.ipFamilies',
    '.spec.ipFamilyPolicy',
    '.spec.internalTrafficPolicy',
  ],
  TokenRequest: ['.metadata.name', '.metadata.namespace', '.spec.audiences', '.spec.boundObjectRef'],
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
    else if (decodedJSON !== null) {
      assert.deepEqual(unsaid(decoded, decodedJSON), [])
      assert.deepEqual(unread(decodedJSON, decoded, added[kind] ?? []), [])
    } else assert.ok(Object.keys(decoded).includes('metadata'))
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
