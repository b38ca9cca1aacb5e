import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../machinery/field-error.ts'
import { storageVersions } from './storage-version.ts'
import type {
  ServerStorageVersion,
  StorageVersionCondition,
  StorageVersionStatus,
} from './storage-version-types.ts'
import { storageVersionName, validateStorageVersionStatus } from './validate-storage-version.ts'

// What upstream's own tests assert: docs/reference/upstream-behaviour.md, N1 to N6.

const problemsOf = (status: StorageVersionStatus): string[] =>
  validateStorageVersionStatus(status).map(fieldErrorText)

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const label =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
const tooManySlashes =
  "an apiVersion is a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')"

type ServerRow = [
  id: string,
  encodes: string,
  decodes: readonly string[],
  serves: readonly string[],
  want: readonly string[],
]
const wrong = (field: string, value: string, why: string): string =>
  `${field}: Invalid value: ${JSON.stringify(value)}: ${why}`
const unserved = (index: number, value: string, decodes: string): string =>
  wrong(
    `servedVersions[${index}]`,
    value,
    `individual served version : ${value} must be included in decodableVersions : [${decodes}]`,
  )
const servers: readonly ServerRow[] = [
  ['-fea', 'v1alpha1', ['v1alpha1', 'v1'], ['v1alpha1', 'v1'], [wrong('apiServerID', '-fea', subdomain)]],
  [
    'fea',
    '-fea',
    ['v1alpha1', 'v1'],
    ['v1alpha1', 'v1'],
    [
      wrong('encodingVersion', '-fea', `version part: ${label}`),
      'decodableVersions: Invalid value: ["v1alpha1","v1"]: decodableVersions must include encodingVersion -fea',
    ],
  ],
  [
    'fea',
    'v1alpha1',
    ['v1alpha1', 'v1', '-fea'],
    ['v1alpha1', 'v1', '-fea'],
    [
      wrong('decodableVersions[2]', '-fea', `version part: ${label}`),
      wrong('servedVersions[2]', '-fea', `version part: ${label}`),
    ],
  ],
  ['fea', 'v1alpha1', ['v1alpha1', 'v1'], ['v1alpha1', 'v1'], []],
  ['fea', 'v1alpha1', ['v1alpha1', 'v1'], [], []],
  ['fea', 'mygroup.com/v2', ['v1alpha1', 'v1', 'mygroup.com/v2'], ['v1', 'mygroup.com/v2'], []],
  [
    'fea',
    'v1alpha1',
    ['v1alpha1', 'v1'],
    ['/v3'],
    [wrong('servedVersions[0]', '/v3', 'group part: must be non-empty'), unserved(0, '/v3', 'v1alpha1 v1')],
  ],
  [
    'fea',
    'mygroup.com/v2',
    ['mygroup.com/v2', '/v3'],
    ['mygroup.com/v2', '/v3'],
    [
      wrong('decodableVersions[1]', '/v3', 'group part: must be non-empty'),
      wrong('servedVersions[1]', '/v3', 'group part: must be non-empty'),
    ],
  ],
  [
    'fea',
    'mygroup.com/v2',
    ['mygroup.com/v2', '/v3'],
    ['mygroup.com/'],
    [
      wrong('decodableVersions[1]', '/v3', 'group part: must be non-empty'),
      wrong('servedVersions[0]', 'mygroup.com/', 'version part: must be non-empty'),
      unserved(0, 'mygroup.com/', 'mygroup.com/v2 /v3'),
    ],
  ],
  [
    'fea',
    'mygroup.com/v2',
    ['mygroup.com/v2', 'mygroup.com/'],
    ['mygroup.com/v2'],
    [wrong('decodableVersions[1]', 'mygroup.com/', 'version part: must be non-empty')],
  ],
  [
    'fea',
    '/v3',
    ['mygroup.com/v2', '/v3'],
    ['mygroup.com/v2'],
    [
      wrong('encodingVersion', '/v3', 'group part: must be non-empty'),
      wrong('decodableVersions[1]', '/v3', 'group part: must be non-empty'),
    ],
  ],
  [
    'fea',
    'v1',
    ['v1', 'mygroup_com/v2'],
    ['v1'],
    [wrong('decodableVersions[1]', 'mygroup_com/v2', `group part: ${subdomain}`)],
  ],
  [
    'fea',
    'v1',
    ['v1', 'mygroup.com/v2'],
    ['v1', 'mygroup_com/v2'],
    [
      wrong('servedVersions[1]', 'mygroup_com/v2', `group part: ${subdomain}`),
      unserved(1, 'mygroup_com/v2', 'v1 mygroup.com/v2'),
    ],
  ],
  [
    'fea',
    'v1',
    ['v1', 'mygroup.com/v2_'],
    ['v1'],
    [wrong('decodableVersions[1]', 'mygroup.com/v2_', `version part: ${label}`)],
  ],
  [
    'fea',
    'v1',
    ['v1', 'mygroup.com/v2'],
    ['v1', 'mygroup.com/v2_'],
    [
      wrong('servedVersions[1]', 'mygroup.com/v2_', `version part: ${label}`),
      unserved(1, 'mygroup.com/v2_', 'v1 mygroup.com/v2'),
    ],
  ],
  [
    'fea',
    'v1',
    ['v1', 'mygroup.com/v2/myresource'],
    ['v1'],
    [wrong('decodableVersions[1]', 'mygroup.com/v2/myresource', tooManySlashes)],
  ],
  [
    'fea',
    'v1',
    ['v1', 'mygroup.com/v2'],
    ['v1', 'mygroup.com/v2/myresource'],
    [
      wrong('servedVersions[1]', 'mygroup.com/v2/myresource', tooManySlashes),
      unserved(1, 'mygroup.com/v2/myresource', 'v1 mygroup.com/v2'),
    ],
  ],
  ['fea', 'v1alpha1', ['v1alpha1', 'v1'], ['v2'], [unserved(0, 'v2', 'v1alpha1 v1')]],
]
for (const [
  index,
  [apiServerID, encodingVersion, decodableVersions, servedVersions, want],
] of servers.entries()) {
  test(`StorageVersion N1: entry ${index + 1}, ${want[0]?.slice(0, 60) ?? 'right'}`, () => {
    const server = { apiServerID, encodingVersion, decodableVersions, servedVersions }
    assert.deepEqual(
      problemsOf({ storageVersions: [server], commonEncodingVersion: encodingVersion }),
      want.map((each) => `status.storageVersions[0].${each}`),
    )
  })
}

test('StorageVersion N1: an entry that says nothing is wrong in all that it does not say', () => {
  const nothing = {} as ServerStorageVersion
  assert.deepEqual(problemsOf({ storageVersions: [nothing] }), [
    `status.storageVersions[0].${wrong('apiServerID', '', subdomain)}`,
    `status.storageVersions[0].${wrong('encodingVersion', '', 'version part: must be non-empty')}`,
    'status.storageVersions[0].decodableVersions: Invalid value: null: decodableVersions must include encodingVersion ',
  ])
})

const server = (apiServerID: string, encodingVersion: string): ServerStorageVersion => ({
  apiServerID,
  encodingVersion,
  decodableVersions: ['v1alpha1', 'v1', 'v1beta1'],
})
const common = (id: string, status: StorageVersionStatus, want: readonly string[]) =>
  test(`StorageVersion ${id}`, () => assert.deepEqual(problemsOf(status), want))

common(
  'N2: two servers',
  { storageVersions: [server('1', 'v1alpha1'), server('2', 'v1alpha1')], commonEncodingVersion: 'v1alpha1' },
  [],
)
common(
  'N2: one server twice',
  { storageVersions: [server('1', 'v1alpha1'), server('1', 'v1alpha1')], commonEncodingVersion: 'v1alpha1' },
  ['status.storageVersions[1].apiServerID: Duplicate value: "1"'],
)

const both = [server('1', 'v1alpha1'), server('2', 'v1alpha1')]
const field = 'status.commonEncodingVersion: Invalid value:'
const shouldBeNil =
  'should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet'
common(
  'N3: no servers, and yet a common version',
  { storageVersions: [], commonEncodingVersion: 'v1alpha1' },
  [`${field} "v1alpha1": ${shouldBeNil}`],
)
common(
  'N3: different, and yet in common',
  { storageVersions: [server('1', 'v1alpha1'), server('2', 'v1')], commonEncodingVersion: 'v1alpha1' },
  [`${field} "v1alpha1": ${shouldBeNil}`],
)
common('N3: equal, and not said', { storageVersions: both }, [
  `${field} null: the common encoding version is v1alpha1`,
])
common('N3: equal, and something else said', { storageVersions: both, commonEncodingVersion: 'v1' }, [
  `${field} "v1": the actual common encoding version is v1alpha1`,
])
common('N3: equal, and said', { storageVersions: both, commonEncodingVersion: 'v1alpha1' }, [])
common('N3: one alone', { storageVersions: both.slice(0, 1), commonEncodingVersion: 'v1alpha1' }, [])
common('N3: nothing at all', {}, [])

const qualified =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const condition = (more: object = {}): StorageVersionCondition => ({
  ...{ type: 'fea', status: 'True', reason: 'unknown', message: 'unknown' },
  lastTransitionTime: '2026-01-01T00:00:00Z',
  ...more,
})
common('N4: no type', { conditions: [condition({ type: '-fea' })] }, [
  `status[0].type: Invalid value: "-fea": ${qualified}`,
])
common('N4: no status', { conditions: [condition({ status: '-True' })] }, [
  `status[0].status: Invalid value: "-True": ${qualified}`,
])
common('N4: no reason', { conditions: [condition({ reason: '' })] }, ['status[0].reason: Required value'])
common('N4: no message', { conditions: [condition({ message: undefined })] }, [
  'status[0].message: Required value',
])
common('N4: one type three times', { conditions: [condition(), condition(), condition()] }, [
  'status[1].type: Invalid value: "fea": the type of the condition is not unique, it also appears in conditions[0]',
  'status[2].type: Invalid value: "fea": the type of the condition is not unique, it also appears in conditions[1]',
])
common('N4: right, whatever type and status are called', { conditions: [condition({ status: 'Maybe' })] }, [])

const group = 'authentication.k8s.io'
const names: readonly [name: string, want: readonly string[]][] = [
  ['', ['name must be in the form of <group>.<resource>']],
  ['pods', ['name must be in the form of <group>.<resource>']],
  ['core.pods', []],
  [`${group}.tokenreviews`, []],
  [`${'x'.repeat(253)}.tokenreviews`, []],
  [`${'x'.repeat(254)}.tokenreviews`, ['the group segment must be no more than 253 characters']],
  [`${group}.${'x'.repeat(63)}`, []],
  [`${group}.${'x'.repeat(64)}`, ['the resource segment must be no more than 63 characters']],
  ['core.1pods', [`the resource segment ${label}`]],
  ['.pods', [`the group segment ${subdomain}`]],
]
for (const [name, want] of names) {
  test(`StorageVersion N5: the name ${name.length > 60 ? `of ${name.length} characters` : JSON.stringify(name)}`, () =>
    assert.deepEqual(storageVersionName(name), want))
}

test('StorageVersion N6: the strategy drops the status of a new one, and keeps that of an old one', () => {
  const { strategy, scope } = storageVersions
  assert.equal(scope, 'Cluster')
  assert.ok(!strategy.allowCreateOnUpdate && !strategy.allowUnconditionalUpdate)
  const status = { storageVersions: both, commonEncodingVersion: 'v1alpha1' }
  const made = { metadata: { name: 'core.pods' }, spec: {}, status }
  strategy.prepareForCreate?.(made, '')
  assert.deepEqual(made.status, {})
  const stored = { metadata: { name: 'core.pods' }, spec: {}, status }
  strategy.prepareForUpdate?.(made, stored)
  assert.deepEqual(made.status, status)
  // Upstream's update looks at nothing, not even at a name that is none.
  assert.equal(strategy.validate ?? strategy.validateUpdate, undefined)
})
