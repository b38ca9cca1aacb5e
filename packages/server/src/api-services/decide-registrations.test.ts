import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApiService, type FoundAvailable, localCondition } from '@strata/api'
import { automanagedLabel, decideRegistrations, type LocalVersion } from './decide-registrations.ts'

const now = '2026-11-16T00:00:00Z'
const available = {
  conditions: [{ type: 'Available', ...localCondition, lastTransitionTime: '2026-11-15T00:00:00Z' }],
}
const custom = { group: 'example.dev', versionName: 'v1', isCustom: true }
const builtIn = { group: 'events.k8s.io', versionName: 'v1', isCustom: false }

function service(local: LocalVersion, label: string | undefined, spec: object = {}): ApiService {
  const [groupPriorityMinimum, versionPriority] = local.isCustom ? [1_000, 100] : [17_750, 15]
  return {
    metadata: {
      name: `${local.versionName}.${local.group}`,
      ...(label === undefined ? {} : { labels: { [automanagedLabel]: label } }),
    },
    spec: { group: local.group, version: local.versionName, groupPriorityMinimum, versionPriority, ...spec },
    status: available,
  }
}

const elsewhere: ApiService = {
  ...service(custom, undefined, { service: { namespace: 'a', name: 'b', port: 443 } }),
  status: {},
}

type Row = [
  name: string,
  seen: {
    readonly local?: readonly LocalVersion[]
    readonly current?: readonly ApiService[]
    readonly isStart?: true
    readonly found?: FoundAvailable
  },
  want: readonly string[],
]
const rows: readonly Row[] = [
  ['nothing there, nothing wanted', {}, []],
  ['a built-in version at the start', { local: [builtIn], isStart: true }, ['create onstart']],
  ['a built-in version later on', { local: [builtIn] }, []],
  ['a custom version', { local: [custom] }, ['create true']],
  ['a custom version that is registered', { local: [custom], current: [service(custom, 'true')] }, []],
  ['a custom version that has gone', { current: [service(custom, 'true')] }, ['delete']],
  ['a built-in version of another release', { current: [service(builtIn, 'onstart')], isStart: true }, []],
  ['what people have made', { current: [service(custom, undefined)] }, []],
  [
    'what people have made of a version that is served here',
    { local: [custom], current: [service(custom, undefined, { versionPriority: 5 })] },
    [],
  ],
  [
    'a custom version that a client has changed',
    { local: [custom], current: [service(custom, 'true', { versionPriority: 5 })] },
    ['update 100'],
  ],
  [
    'a built-in version that another release ranked otherwise',
    { local: [builtIn], current: [service(builtIn, 'onstart', { versionPriority: 5 })], isStart: true },
    ['update 15'],
  ],
  [
    'a built-in version that a client has changed later on',
    { local: [builtIn], current: [service(builtIn, 'onstart', { versionPriority: 5 })] },
    [],
  ],
  [
    'a version that was custom, and is built in now',
    { local: [{ ...custom, isCustom: false }], current: [service(custom, 'true')], isStart: true },
    [],
  ],
  [
    'a service elsewhere that has been checked',
    { current: [elsewhere], found: { status: 'True', reason: 'Passed', message: 'all checks passed' } },
    ['say Passed'],
  ],
  ['a service elsewhere that has not been checked', { current: [elsewhere] }, []],
  [
    'a service elsewhere of which a check has found the same as before',
    {
      current: [{ ...elsewhere, status: available }],
      found: { ...localCondition },
    },
    [],
  ],
  [
    'a service that is local by now',
    { current: [{ ...service(custom, undefined), status: {} }] },
    ['say Local'],
  ],
]
for (const [name, { local = [], current = [], isStart = false, found }, want] of rows) {
  test(`APIServices: ${name}`, () => {
    const decided = decideRegistrations({
      local,
      current: new Map(current.map((each) => [each.metadata.name ?? '', each])),
      isStart,
      now,
      foundOf: () => found,
    })
    const listed = decided.map((each) => {
      if (each.do === 'create') return `create ${each.object.metadata.labels?.[automanagedLabel]}`
      if (each.do === 'update') return `update ${each.object.spec.versionPriority}`
      return each.do === 'say' ? `say ${each.status.conditions?.[0]?.reason}` : each.do
    })
    assert.deepEqual(listed, want)
  })
}

test('APIServices: of the core group there is one without a group', () => {
  const [decision] = decideRegistrations({
    local: [{ group: '', versionName: 'v1', isCustom: false }],
    current: new Map(),
    isStart: true,
    now,
    foundOf: () => undefined,
  })
  assert.deepEqual(decision?.object, {
    metadata: { name: 'v1.', labels: { [automanagedLabel]: 'onstart' } },
    spec: { version: 'v1', groupPriorityMinimum: 18_000, versionPriority: 1 },
    status: {},
  })
})
