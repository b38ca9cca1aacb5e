import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../machinery/field-error.ts'
import type { WebhookClientConfig } from '../machinery/webhook-client-config.ts'
import type { AdmissionWebhook, WebhookConfiguration } from './webhook.ts'
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from './webhook-configuration.ts'

const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }
const valid: AdmissionWebhook = {
  name: 'a.example.com',
  clientConfig: { url: 'https://h/x' },
  rules: [rule],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
}
const configuration = (...webhooks: AdmissionWebhook[]): WebhookConfiguration => ({
  metadata: { name: 'c' },
  webhooks,
})
const { strategy } = mutatingWebhookConfigurations
const created = (...webhooks: AdmissionWebhook[]): readonly string[] =>
  (strategy.validateCreate?.(configuration(...webhooks)) ?? []).map(fieldErrorText)

const dns =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

const webhooks: ReadonlyArray<[name: string, change: Partial<AdmissionWebhook>, errors: string[]]> = [
  ['a good one', {}, []],
  ['no name', { name: '' }, ['name: Required value']],
  ['a bad name', { name: 'A' }, [`name: Invalid value: "A": ${dns}`]],
  [
    'a short name',
    { name: 'a.b' },
    ['name: Invalid value: "a.b": should be a domain with at least three segments separated by dots'],
  ],
  [
    'an unknown failure policy',
    { failurePolicy: 'No' },
    ['failurePolicy: Unsupported value: "No": supported values: "Fail", "Ignore"'],
  ],
  [
    'an unknown match policy',
    { matchPolicy: 'No' },
    ['matchPolicy: Unsupported value: "No": supported values: "Equivalent", "Exact"'],
  ],
  [
    'side effects',
    { sideEffects: 'Some' },
    ['sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"'],
  ],
  [
    'too much time',
    { timeoutSeconds: 31 },
    ['timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds'],
  ],
  [
    'no time',
    { timeoutSeconds: 0 },
    ['timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 seconds'],
  ],
  [
    'an unknown reinvocation policy',
    { reinvocationPolicy: 'Always' },
    ['reinvocationPolicy: Unsupported value: "Always": supported values: "IfNeeded", "Never"'],
  ],
  [
    'no review versions',
    { admissionReviewVersions: [] },
    ['admissionReviewVersions: Required value: must specify one of v1, v1beta1'],
  ],
  [
    'unknown review versions',
    { admissionReviewVersions: ['v9', 'v9'] },
    [
      'admissionReviewVersions[1]: Invalid value: "v9": duplicate version',
      'admissionReviewVersions: Invalid value: ["v9","v9"]: must include at least one of v1, v1beta1',
    ],
  ],
  [
    'a selector with an unknown operator',
    { objectSelector: { matchExpressions: [{ key: 'a', operator: 'Like' }] } },
    ['objectSelector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator'],
  ],
  [
    'conditions without name and expression',
    { matchConditions: [{}] },
    ['matchConditions[0].expression: Required value', 'matchConditions[0].name: Required value'],
  ],
  [
    'an empty rule',
    { rules: [{}] },
    [
      'rules[0].operations: Required value',
      'rules[0].apiGroups: Required value',
      'rules[0].apiVersions: Required value',
      'rules[0].resources: Required value',
    ],
  ],
  [
    'stars beside others',
    { rules: [{ operations: ['*', 'GET'], apiGroups: ['*', ''], apiVersions: ['*', ''], resources: ['*'] }] },
    [
      'rules[0].operations: Invalid value: ["*","GET"]: if \'*\' is present, must not specify other operations',
      'rules[0].operations[1]: Unsupported value: "GET": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
      'rules[0].apiGroups: Invalid value: ["*",""]: if \'*\' is present, must not specify other API groups',
      'rules[0].apiVersions: Invalid value: ["*",""]: if \'*\' is present, must not specify other API versions',
      'rules[0].apiVersions[1]: Required value',
    ],
  ],
  [
    'resources that overlap',
    { rules: [{ ...rule, resources: ['', 'a/*', 'a/b', '*/c', 'd/c'], scope: 'All' }] },
    [
      'rules[0].resources[0]: Required value',
      'rules[0].resources[2]: Invalid value: "a/b": if \'a/*\' is present, must not specify a/b',
      'rules[0].resources[4]: Invalid value: "d/c": if \'*/c\' is present, must not specify d/c',
      'rules[0].scope: Unsupported value: "All": supported values: "*", "Cluster", "Namespaced"',
    ],
  ],
  [
    'all resources and one more',
    { rules: [{ ...rule, resources: ['*', '*/*', 'a'] }] },
    [
      'rules[0].resources: Invalid value: ["*","*/*","a"]: if \'*/*\' is present, must not specify other resources',
      'rules[0].resources: Invalid value: ["*","*/*","a"]: if \'*\' is present, must not specify other resources without subresources',
    ],
  ],
]

for (const [name, change, errors] of webhooks) {
  test(`webhook: ${name}`, () => {
    assert.deepEqual(
      created({ ...valid, ...change }),
      errors.map((each) => `webhooks[0].${each}`),
    )
  })
}

const format = '; desired format: https://host[/path]'
const targets: ReadonlyArray<[name: string, clientConfig: WebhookClientConfig, errors: string[]]> = [
  ['neither', {}, [': Required value: exactly one of url or service is required']],
  [
    'both',
    { url: 'https://h', service: { name: 'n', namespace: 's' } },
    [': Required value: exactly one of url or service is required'],
  ],
  [
    'another scheme',
    { url: 'http://h' },
    [`.url: Invalid value: "http": 'https' is the only allowed URL scheme${format}`],
  ],
  ['no host', { url: 'https:///x' }, [`.url: Invalid value: "": host must be specified${format}`]],
  [
    'user, query and fragment',
    { url: 'https://u:p@h/x?a=b#c' },
    [
      '.url: Invalid value: "u:p": user information is not permitted in the URL',
      '.url: Invalid value: "c": fragments are not permitted in the URL',
      '.url: Invalid value: "a=b": query parameters are not permitted in the URL',
    ],
  ],
  [
    'no address',
    { url: 'https://h:x' },
    [
      `.url: Required value: url must be a valid URL: parse "https://h:x": invalid port ":x" after host${format}`,
    ],
  ],
  // Upstream asks for the name where the namespace is missing, and the other way round.
  ['a service without a name', { service: { namespace: 's' } }, ['.service.namespace: Required value']],
  [
    'a service with a bad port and path',
    { service: { name: 'n', namespace: 's', port: 0, path: 'a//B/' } },
    [
      '.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
      '.service.path: Invalid value: "a//B/": must start with a \'/\'',
      '.service.path: Invalid value: "a//B/": segment[0] may not be empty',
      '.service.path: Invalid value: "a//B/": segment[1] may not be empty',
      `.service.path: Invalid value: "a//B/": segment[2]: ${dns}`,
    ],
  ],
  [
    'a path of two slashes',
    { service: { name: 'n', namespace: 's', path: '//' } },
    ['.service.path: Invalid value: "//": segment[0] may not be empty'],
  ],
]

for (const [name, clientConfig, errors] of targets) {
  test(`webhook target: ${name}`, () => {
    assert.deepEqual(
      created({ ...valid, clientConfig }),
      errors.map((each) => `webhooks[0].clientConfig${each}`),
    )
  })
}

test('webhooks: no two have one name', () => {
  assert.deepEqual(created(valid, valid), ['webhooks[1].name: Duplicate value: "a.example.com"'])
})

test('webhooks: what was stored under older rules may stay', () => {
  const old: AdmissionWebhook = { ...valid, sideEffects: 'Unknown', admissionReviewVersions: ['v0'] }
  const next: AdmissionWebhook = { ...old, timeoutSeconds: 3 }
  assert.deepEqual(strategy.validateUpdate?.(configuration(next, next), configuration(old, old)), [])
  assert.equal(strategy.validateUpdate?.(configuration(next), configuration(valid)).length, 2)
})

test('webhooks: defaults', () => {
  const object = {
    metadata: { name: 'c' },
    webhooks: [{ ...valid, rules: [{ ...rule }], clientConfig: { service: { name: 'n', namespace: 's' } } }],
  }
  const filled = {
    ...object.webhooks[0],
    rules: [{ ...rule, scope: '*' }],
    clientConfig: { service: { name: 'n', namespace: 's', port: 443 } },
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
  }
  validatingWebhookConfigurations.versions['v1']?.applyDefaults?.(object)
  assert.deepEqual(object.webhooks[0], filled)
  mutatingWebhookConfigurations.versions['v1']?.applyDefaults?.(object)
  assert.deepEqual(object.webhooks[0], { ...filled, reinvocationPolicy: 'Never' })
})
