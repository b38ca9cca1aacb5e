import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeFleet } from '@strata/insight'
import { agreedOnV1, entry, lease, nowMs, record } from '@strata/insight/records-for-test'
import { silentLog } from '@strata/world'
import { createNodeWorld } from '@strata/world/node'
import type { Command } from 'commander'
import type { CheckAnswer } from '../check/observe-upgrade.ts'
import { reportCheck } from '../check/render-check.ts'
import { mergeReports } from '../contexts/merge-reports.ts'
import { reportOfInstall } from '../controllers-install/install-report.ts'
import type { CrdCheck } from '../crd/check/foretold-crd.ts'
import { reportCrdCheck } from '../crd/check/report-crd-check.ts'
import { reportUpgrades } from '../crd/upgrade/report-upgrades.ts'
import type { UpgradeReport } from '../crd/upgrade/upgrade-report.ts'
import { reportFleet, reportLink } from '../fleet/report-fleet.ts'
import { reportScene } from '../fleet/scenes/report-scenes.ts'
import type { FleetState } from '../fleet/state/fleet-state.ts'
import { decideCanDrop } from '../inspect/decide-can-drop.ts'
import { countedIn, lamps } from '../inspect/facts-for-test.ts'
import { reportCanDrop } from '../inspect/report-can-drop.ts'
import { reportInspection } from '../inspect/report-inspect.ts'
import { reportClean } from '../managed-fields/render-clean.ts'
import { reportInTree } from '../migration/in-tree/in-tree-report.ts'
import type { RepairReport } from '../migration/repair/repair-report.ts'
import { reportRepairs } from '../migration/repair/report-repairs.ts'
import { reportOfTarget } from '../migration/report/migration-report.ts'
import { reportCensus } from '../migration/report/render-census.ts'
import { reportMigrations } from '../migration/report/render-migrations.ts'
import { reportVerifications } from '../migration/report/render-verifications.ts'
import { reportInitialized } from '../migration/report/report-initialized.ts'
import { reportPlan } from '../migration/report/report-plan.ts'
import { reportPrune } from '../migration/report/report-prune.ts'
import { nothingGiven } from '../migration/resources/given-flags.ts'
import { reportRotation } from '../migration/rotate/report-rotation.ts'
import { createCommands } from '../program.ts'
import { type PlayedRehearsal, reportRehearsals } from '../rehearse/report-rehearsals.ts'
import { reportStatus } from '../status/report-status.ts'
import { outputForms } from './print-report.ts'
import type { Report } from './report.ts'
import { checkForms } from './report-forms-for-test.ts'

// Everything that a form has to escape: a server may say this.
const said = 'denied: "v1" & <v2> | `x` ]]> \u0007 ☃\n  spec.a: 100% *no*'
const name = 'lamps.light.example.dev'
const resource = { group: 'light.example.dev', resource: 'lamps' }
const discovered = { ...resource, kind: 'Lamp', namespaced: true, verbs: [], versionName: 'v1' }
const object = { namespace: 'shop', name: 'a|b', message: said }
const refused = [{ class: 'schema', count: 9, objects: [object] }] as const
const failed = { outcome: 'failed', proof: 'unknown', because: said } as const
const encoded = [{ encodingVersion: 'light.example.dev/v1', count: 3 }]
const census = { resourceVersion: '9', total: 4, encodings: encoded, unreadable: 1, stale: 3, epoch: 3 }
const stale = { resource: name, verdict: 'stale', because: said } as const
const unknown = { resource: 'masts.example.dev', verdict: 'not seen', because: said } as const
const fleet: FleetState = {
  ...{ releases: ['v1'], resources: [], roll: null, load: null, scenes: [] },
  servers: [
    {
      ...{ name: 'S1', instance: 'a', serverID: 'id', release: 'v1', pid: null, url: 'https://a' },
      ...{ state: 'crashed', since: '2026-01-01T00:00:00Z', message: said },
    },
  ],
}
const answer = {
  ...{ how: 'UpgradeReview', unseen: [said], verdict: 'Unsafe' },
  resources: [
    {
      ...{ ...resource, verdict: 'Unsafe', reason: 'NotDecodable', message: said, missing: ['v1'] },
      ...{ persistedVersions: ['light.example.dev/v1'], decodableVersions: [], advice: 'migrate' },
    },
    {
      ...{ group: '', resource: 'secrets', verdict: 'CouldNotSee', reason: 'Unknown', message: said },
      ...{ missing: [], persistedVersions: ['v1'], decodableVersions: ['v1'] },
    },
  ],
} as unknown as CheckAnswer
const crd: CrdCheck = {
  ...{ name, place: { file: 'new crds/ä.yaml', document: 1, documents: 1, line: 1 }, verdict: 'refused' },
  ...{
    refusedNew: said,
    earlier: [],
    rollbacks: [],
    goneVersions: [],
    maybeStored: [],
    unknownFields: ['spec.x'],
  },
  refusals: [
    {
      ...{ path: 'v1 → v2', storedVersions: ['v1'], refusal: said, steps: [], gone: ['v1'] },
      ...{ missing: [said], at: ['spec', 'versions'] },
    },
  ],
  changes: [
    {
      ...{ path: 'spec.a[*]', kind: 'enum-shrunk', effect: 'invalid', message: said, at: ['spec'] },
      ...{ versions: ['v1'], since: ['r1'] },
    },
  ],
}
const upgrade: UpgradeReport = {
  ...{ definition: name, file: 'a.yaml', place: { file: 'a.yaml', line: 4 }, result: 'lossy' },
  ...{ because: said, exit: 'incomplete', warnings: [said], managedBy: [said], done: [] },
  losses: [{ path: 'spec.a', objects: 2, examples: ['shop/a'], kind: 'lost', accepted: false }],
}
const step: PlayedRehearsal['result']['steps'][number] = {
  ...{ step: 1, text: 'upgrade v2', verdict: 'unsafe', expected: 'safe', passed: false, fromMs: 0, toMs: 1 },
  ...{ servers: [], stored: [], reasons: [{ level: 'unsafe', rule: 'unreadable', message: said }] },
}
const rehearsed: PlayedRehearsal = {
  file: '/paths/a b.yaml',
  lines: [4],
  result: {
    ...{ world: 'simulated', server: 'strata', servers: 3, verdict: 'unsafe', events: [], steps: [step] },
    passed: false,
    interleavings: { searched: 2, possible: 9, lateWrites: { stored: 0, refused: 2 } },
  },
}
const setAside: RepairReport = {
  ...{ resource: name, namespace: 'shop', name: 'a', reason: 'Denied', message: said, now: 'readable' },
  ways: [{ kind: 'edit', text: said, command: "kubectl edit 'x'", isRecommended: true }],
  ...{ result: 'set aside', record: 'storagestates/x' },
}

const whole = { all: true, isNarrowed: false } as const
const verify = reportVerifications([stale, unknown], true)

/** Of each command, what it says where something is wrong. */
const reports: Readonly<Record<string, readonly Report[]>> = {
  status: [
    reportStatusOf([entry('a', 'example.dev/v1'), entry('b', 'example.dev/v2')]),
    reportStatusOf([entry('a', 'example.dev/v1')]),
    reportStatusOf([]),
  ],
  check: [reportCheck(answer, 'x+3', whole)],
  plan: [
    reportPlan(
      {
        ...{ kind: 'MigrationPlan', version: 1, createdAt: '2026-01-01T00:00:00Z', cluster: 'c' },
        resources: [
          { resource: name, exit: 'incomplete', because: said, total: 10, refused, unknown: refused },
        ],
      },
      'plan.json',
    ),
  ],
  inspect: [
    reportInspection(
      {
        facts: [
          { ...lamps, stored: countedIn({ v1: 2, v2: 3 }), unseen: [{ what: 'objects', because: said }] },
        ],
        notSeen: [unknown],
      },
      { all: true },
    ),
  ],
  'can-drop': ['v1', 'v2'].flatMap((version) =>
    [lamps, { ...lamps, unseen: [{ what: 'objects', because: said } as const] }].map((facts) =>
      reportCanDrop(version, facts, decideCanDrop(version, facts)),
    ),
  ),
  migrate: [
    reportMigrations([
      reportOfTarget(resource, undefined, failed),
      reportInTree({ resource: discovered }, undefined, failed, {
        result: 'Failed',
        message: said,
        fix: said,
        refused,
      }),
    ]),
    reportMigrations([]),
  ],
  census: [
    reportCensus([{ ...stale, census } as unknown as Parameters<typeof reportCensus>[0][0], unknown], true),
  ],
  verify: [verify],
  prune: [
    reportPrune(
      [
        { definition: name, result: 'refused', because: said, exit: 'incomplete', next: said },
        { definition: 'masts', result: 'unknown', because: said, exit: 'unknown' },
      ],
      { all: true, accept: 'proven' },
    ),
  ],
  'clean-managed-fields': [
    reportClean([
      {
        ...{ definition: name, result: 'incomplete', because: said, exit: 'incomplete', next: said },
        failures: [{ object: 'shop/a', result: 'unknown', because: said }],
      },
    ]),
  ],
  repair: [
    reportRepairs(
      [
        { resource: name, objects: [setAside], unnamed: 2 },
        { resource: 'masts', objects: [], unnamed: 0, because: said },
      ],
      nothingGiven,
    ),
  ],
  'rotate-keys': [
    reportRotation({
      ...{ step: 'blocked', to: 'aesgcm:k2:f', because: said, next: [said], snippet: ['- resources:'] },
      ...{ droppable: [], proof: 'unknown', unseen: [said], exit: 'incomplete', migrations: [] },
    }),
  ],
  ...Object.fromEntries(
    ['controllers install', 'controllers uninstall'].map((command) => [
      command,
      [
        reportOfInstall(command, {
          objects: [
            { kind: 'Lease', name: 'a', result: 'deleted' },
            { kind: 'Deployment', name: 'b', namespace: 'n', result: 'refused', because: said },
          ],
          next: [said],
        }),
      ],
    ]),
  ),
  'controllers init': [
    reportInitialized(
      {
        ...{ definitions: [], created: [], unseen: [said] },
        skipped: [{ ...resource, because: said } as never],
      },
      false,
    ),
  ],
  'crd check': [
    reportCrdCheck([crd, { ...crd, name: 'masts.example.dev', place: undefined }], {
      older: ['r1'],
      newest: { name: 'r2', path: 'new crds', lineOf: () => 7 },
      rules: { mayBreakRollback: false, isStrict: false },
    }),
  ],
  'crd upgrade': [reportUpgrades([upgrade])],
  rehearse: [reportRehearsals([rehearsed])],
  'several contexts': [
    mergeReports('verify', [
      { label: 'prod <1>', report: verify, exit: 1 },
      { label: 'b', unseen: said, exit: 5 },
    ]).report,
  ],
  roll: [reportFleet('roll', fleet)],
  playground: [
    reportFleet('playground', fleet),
    reportLink('http://127.0.0.1'),
    reportScene({ name: 'fence', title: 'x', proves: '', steps: [], state: 'not-shown', sentence: said }),
  ],
}

function reportStatusOf(entries: Parameters<typeof record>[0]): Report {
  const status = describeFleet({ records: [record(entries, agreedOnV1)], leases: [lease('a')] }, nowMs)
  return reportStatus({ ...status, problems: [...status.problems, said] }, { all: true, wide: false })
}

for (const [command, each] of Object.entries(reports)) {
  test(`${command}: what is wrong is valid in every form of -o`, () => {
    assert.ok(each.length > 0)
    for (const report of each) checkForms(report)
  })
}

test('every command with these forms is in the table', async () => {
  const world = createNodeWorld({ log: silentLog })
  const program = await createCommands(
    {
      ...{ world, signal: new AbortController().signal, environment: {}, print: () => {} },
      ...{ isTerminal: false, screen: undefined, execPath: '', entry: '' },
    },
    () => {},
  )
  const reporting = (command: Command, name = ''): string[] => {
    const choices = command.options.find(({ long }) => long === '--output')?.argChoices ?? []
    const below = command.commands.flatMap((each) => reporting(each, `${name} ${each.name()}`.trim()))
    return outputForms.every((form) => choices.includes(form)) ? [name, ...below] : below
  }
  const missing = reporting(program)
    .map((each) => each.replace(/^playground .*/, 'playground'))
    .filter((each) => !Object.hasOwn(reports, each))
  assert.deepEqual(missing, [])
})
