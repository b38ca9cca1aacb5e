import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../machinery/field-error.ts'
import type { ApiServiceSpec, ApiServiceStatus } from './api-service.ts'
import { type FoundAvailable, localCondition, withAvailable } from './available.ts'
import { validateApiService, validateApiServiceStatus } from './validate-api-service.ts'

const local: ApiServiceSpec = {
  group: 'example.dev',
  version: 'v1',
  groupPriorityMinimum: 1_000,
  versionPriority: 100,
}
const remote: ApiServiceSpec = { ...local, service: { namespace: 'a', name: 'b', port: 443 } }

type Row = [name: string, spec: ApiServiceSpec, want: readonly string[], objectName?: string]
const rows: readonly Row[] = [
  ['served here', local, []],
  ['served elsewhere', remote, []],
  ['of the core group', { ...local, group: '' }, [], 'v1.'],
  [
    'of another name',
    local,
    [
      'metadata.name: Invalid value: "v2.example.dev": must be `spec.version+"."+spec.group`: "v1.example.dev"',
    ],
    'v2.example.dev',
  ],
  ['with a name that no path can have', local, [], 'v1/example.dev'],
  [
    'of another version without a group',
    { ...local, group: '', version: 'v2' },
    ['spec.group: Required value: only v1 may have an empty group and it better be legacy kube'],
    'v2.',
  ],
  [
    'without priorities',
    { ...local, groupPriorityMinimum: 0, versionPriority: 0 },
    [
      'spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000',
      'spec.versionPriority: Invalid value: 0: must be positive and less than 1000',
    ],
  ],
  ['with the highest priorities', { ...local, groupPriorityMinimum: 20_000, versionPriority: 1_000 }, []],
  [
    'with priorities that are too high',
    { ...local, groupPriorityMinimum: 20_001, versionPriority: 1_001 },
    [
      'spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000',
      'spec.versionPriority: Invalid value: 1001: must be positive and less than 1000',
    ],
  ],
  [
    'served here, with certificates',
    { ...local, caBundle: 'YWI=', insecureSkipTLSVerify: true },
    [
      'spec.caBundle: Invalid value: "2 bytes": local APIServices may not have a caBundle',
      'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
    ],
  ],
  [
    'served without a service',
    { ...remote, service: {} },
    [
      'spec.service.namespace: Required value',
      'spec.service.name: Required value',
      'spec.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
    ],
  ],
  [
    'served elsewhere, with certificates and without looking',
    { ...remote, caBundle: 'YQ==', insecureSkipTLSVerify: true },
    ['spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present'],
  ],
]
for (const [name, spec, want, objectName = 'v1.example.dev'] of rows) {
  test(`APIService: ${name}`, () => {
    const found = validateApiService({ metadata: { name: objectName }, spec })
    assert.deepEqual(found.map(fieldErrorText), want)
  })
}

test('APIService: what is no group and no version', () => {
  const spec = { ...local, group: 'Example', version: '1' }
  assert.deepEqual(
    validateApiService({ metadata: { name: '1.Example' }, spec }).map(({ path }) => path),
    ['spec.group', 'spec.version'],
  )
})

test('APIService: a condition is True, False or Unknown', () => {
  const conditions = [
    { type: 'Available', status: 'True' as const },
    { type: 'Other', status: 'Maybe' as 'True' },
  ]
  assert.deepEqual(validateApiServiceStatus({ status: { conditions } }).map(fieldErrorText), [
    'status.conditions[1].status: Unsupported value: "Maybe": supported values: "True", "False", "Unknown"',
  ])
})

const missing: FoundAvailable = { status: 'False', reason: 'ServiceNotFound', message: 'no service' }
const notFound = { type: 'Available', ...missing }
const [before, now] = ['2026-11-16T00:00:00Z', '2026-11-16T01:00:00Z']
const other = { type: 'Other', status: 'True' as const }
const available: ReadonlyArray<
  [name: string, found: FoundAvailable, status: ApiServiceStatus, want: ApiServiceStatus]
> = [
  [
    'nothing said of a local one',
    localCondition,
    {},
    { conditions: [{ type: 'Available', ...localCondition, lastTransitionTime: now }] },
  ],
  [
    'nothing said of a service',
    missing,
    { conditions: [other] },
    { conditions: [other, { ...notFound, lastTransitionTime: now }] },
  ],
  [
    'the same said before',
    missing,
    { conditions: [{ ...notFound, lastTransitionTime: before }] },
    { conditions: [{ ...notFound, lastTransitionTime: before }] },
  ],
  [
    'another reason said before',
    missing,
    { conditions: [{ ...notFound, reason: 'FailedDiscoveryCheck', lastTransitionTime: before }] },
    { conditions: [{ ...notFound, lastTransitionTime: before }] },
  ],
  [
    'a local one that is a service now',
    missing,
    { conditions: [{ type: 'Available', ...localCondition, lastTransitionTime: before }] },
    { conditions: [{ ...notFound, lastTransitionTime: now }] },
  ],
]
for (const [name, condition, status, want] of available) {
  test(`APIService: ${name}`, () => {
    const found = withAvailable(status, condition, now)
    assert.deepEqual(found, want)
    assert.equal(withAvailable(found, condition, 'later'), found, 'nothing more to say')
  })
}
