import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { withServer } from '../golden/served-store.ts'
import { createCertificates } from '../support/certificates.ts'
import { WebhookProcess } from '../support/webhook-process.ts'
import { group, lightCrd, lights } from './crd-upgrade/lights.ts'
import { UpgradeDesk } from './crd-upgrade/upgrade-desk.ts'
import { type Json, Operator } from './real-crds/operator.ts'

const both = ['color', 'watts']
const born = (plural: string, more?: Parameters<typeof lightCrd>[2]) =>
  lightCrd(
    plural,
    [
      { name: 'v1alpha1', fields: both, storage: true },
      { name: 'v1beta1', fields: both },
    ],
    more,
  )
const newest = (plural: string) =>
  lightCrd(plural, [
    { name: 'v1beta1', fields: both },
    { name: 'v1', fields: both, storage: true },
  ])
const bright = { color: 'red', watts: '60' }

/** Who owns what of the CRD; the times differ from run to run. */
const ownersOf = ({ metadata }: Json): readonly string[] =>
  metadata.managedFields.map(({ manager, operation }: Json) => `${manager} ${operation}`)
const versionsOf = ({ spec }: Json): readonly string[] =>
  spec.versions.map(({ name, storage }: Json) => (storage ? `${name}*` : name))

async function isBorn(desk: UpgradeDesk, crd: Json, tool?: readonly string[]): Promise<readonly Json[]> {
  await desk.install(crd, tool)
  const { plural } = crd.spec.names
  await desk.operator.good(['create', '-f', '-'], lights(plural, crd.spec.versions[0].name, 30, bright))
  return desk.objects(plural, crd.spec.versions[0].name)
}

type Scene = (desk: UpgradeDesk, t: TestContext) => Promise<void>

const scenes: Readonly<Record<string, Scene>> = {
  'born in a storage version that goes: a bridge, and every object as it was': async (desk) => {
    const before = await isBorn(desk, born('lamps'))
    const name = `lamps.${group}`
    const file = await desk.file(newest('lamps'))
    const planned = await desk.upgrade([file, '--dry-run'])
    assert.deepEqual([planned.code, planned.reports[0].result], [0, 'would be upgraded'])
    assert.match(planned.reports[0].plan.refusal, /status\.storedVersions\[0\]: Invalid value: "v1alpha1"/)
    assert.deepEqual(versionsOf(await desk.crd(name)), ['v1alpha1*', 'v1beta1'])

    const { code, reports } = await desk.upgrade([file])
    assert.equal(code, 0, JSON.stringify(reports))
    assert.deepEqual([reports[0].result, reports[0].proof, reports[0].objects], ['upgraded', 'proven', 30])
    const crd = await desk.crd(name)
    assert.deepEqual(
      [versionsOf(crd), crd.status.storedVersions],
      [
        ['v1beta1', 'v1*'],
        ['v1beta1', 'v1'],
      ],
    )
    assert.deepEqual(ownersOf(crd), ['kubectl Apply', 'kube-apiserver Update'])
    assert.deepEqual(await desk.objects('lamps', 'v1'), before)
    assert.match(
      reports[0].next,
      /^strata clean-managed-fields lamps\.\S+: 30 objects have managedFields in v1alpha1, /,
    )
    const again = await desk.upgrade([file])
    assert.deepEqual([again.code, again.reports[0].result], [0, 'unchanged'])
  },

  'integers beyond 2^53 keep their digits, in the CRD and in saved objects': async (desk) => {
    const long = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON('9007199254740993')
    const withLong = (crd: Json): Json => {
      for (const { schema } of crd.spec.versions) {
        const { properties } = schema.openAPIV3Schema.properties.spec
        properties.count = { type: 'integer', format: 'int64', default: long }
      }
      return crd
    }
    await isBorn(desk, withLong(born('wands')))
    const lossy = lightCrd('wands', [
      { name: 'v1beta1', fields: both },
      { name: 'v1', fields: ['color'], storage: true },
    ])
    const accepted = ['--accept-loss', 'spec.watts']
    const { code, reports } = await desk.upgrade([await desk.file(withLong(lossy)), ...accepted])
    assert.deepEqual([code, reports[0].result], [0, 'upgraded'], JSON.stringify(reports))
    const crd = await desk.operator.good(['get', 'crd', `wands.${group}`, '-o', 'json'])
    assert.deepEqual(crd.match(/"default": \d+/g), Array(2).fill('"default": 9007199254740993'))
    const saved = readFileSync(reports[0].savedObjects, 'utf8')
    assert.equal(saved.match(/"count":9007199254740993\b/g)?.length, 30)
  },

  'a CRD that the cluster lacks: created, and owned as an apply would; not if others create it meanwhile':
    async (desk) => {
      const { code, reports } = await desk.upgrade([await desk.file(newest('prisms'))])
      const [{ result, because, objects }] = reports
      assert.deepEqual([code, result, because, objects], [0, 'upgraded', 'created', 0])
      const crd = await desk.crd(`prisms.${group}`)
      await desk.operator.good(['apply', '--server-side', '-f', '-'], newest('prisms'))
      assert.deepEqual(ownersOf(await desk.crd(`prisms.${group}`)), [
        'kubectl Apply',
        'kube-apiserver Update',
      ])
      assert.equal(crd.metadata.generation, 1)

      const foreign = lightCrd('mirrors', [{ name: 'v9', storage: true }])
      const late = await desk.upgrade([await desk.file(newest('mirrors'))], {
        onLine: (line) => {
          if (line.includes('apply the new file') && !line.includes('\n')) desk.now(['create'], foreign)
        },
      })
      assert.deepEqual([late.code, late.reports[0].result], [4, 'aborted'], JSON.stringify(late.reports))
      assert.deepEqual(versionsOf(await desk.crd(`mirrors.${group}`)), ['v9*'])
    },

  'two runs at once: one upgrades, and the other ends as soon as it sees that': async (desk) => {
    const before = await isBorn(desk, born('sparks'))
    const file = await desk.file(newest('sparks'))
    const runs = await Promise.all([desk.upgrade([file]), desk.upgrade([file])])
    const [first, second] = runs.toSorted((a, b) => a.code - b.code)
    assert.deepEqual([first?.code, first?.reports[0].result], [0, 'upgraded'], JSON.stringify(runs))
    assert.deepEqual([second?.code, second?.reports[0].result], [4, 'aborted'], JSON.stringify(runs))
    const crd = await desk.crd(`sparks.${group}`)
    assert.deepEqual(
      [versionsOf(crd), crd.status.storedVersions],
      [
        ['v1beta1', 'v1*'],
        ['v1beta1', 'v1'],
      ],
    )
    assert.deepEqual(await desk.objects('sparks', 'v1'), before)
  },

  'killed at each step, and continued by the same command': async (desk) => {
    const before = await isBorn(desk, born('torches'))
    const file = await desk.file(newest('torches'))
    await desk.killedAt('rewrite every object', [file])
    assert.deepEqual(versionsOf(await desk.crd(`torches.${group}`)), ['v1alpha1', 'v1beta1*'])
    await desk.killedAt('remove v1alpha1', [file])
    await desk.killedAt('apply the new file', [file])
    assert.deepEqual((await desk.crd(`torches.${group}`)).status.storedVersions, ['v1beta1'])
    const { code, reports } = await desk.upgrade([file])
    assert.deepEqual([code, reports[0].plan.kind, reports[0].result], [0, 'apply', 'upgraded'])
    assert.deepEqual(await desk.objects('torches', 'v1'), before)
  },

  'killed on the bridge, and taken back': async (desk) => {
    const before = await isBorn(desk, born('candles'))
    const original = await desk.crd(`candles.${group}`)
    const file = await desk.file(newest('candles'))
    await desk.killedAt('remove v1alpha1', [file])
    const unreached = await desk.file(born('tapers'))
    const { code, reports } = await desk.upgrade([file, unreached, '--back'])
    assert.deepEqual([code, reports[1].result], [0, 'skipped'], JSON.stringify(reports))
    assert.match(reports[0].because, /^the CRD is as it was before the upgrade/)
    assert.equal(reports[0].done.at(-1), 'apply the old file')
    const crd = await desk.crd(`candles.${group}`)
    assert.deepEqual(crd.spec, original.spec)
    assert.deepEqual(ownersOf(crd), ownersOf(original))
    assert.deepEqual(await desk.objects('candles', 'v1alpha1'), before)
  },

  'no common version: taken back by steps, while no version was dropped': async (desk) => {
    const only = (version: string) => lightCrd('wicks', [{ name: version, fields: both, storage: true }])
    const before = await isBorn(desk, only('v1alpha1'))
    const file = await desk.file(only('v1'))
    await desk.killedAt('remove v1alpha1', [file])
    const { code, reports } = await desk.upgrade([file, '--back'])
    assert.deepEqual([code, reports[0].result], [0, 'put back'], JSON.stringify(reports))
    const crd = await desk.crd(`wicks.${group}`)
    assert.deepEqual([versionsOf(crd), crd.status.storedVersions], [['v1alpha1*'], ['v1alpha1']])
    assert.deepEqual(await desk.objects('wicks', 'v1alpha1'), before)
    await desk.upgrade([file])
    const late = await desk.upgrade([file, '--back'])
    assert.deepEqual([late.code, late.reports[0].result], [1, 'impossible'])
    assert.match(late.reports[0].because, /dropped v1alpha1/)
  },

  'an object is created after the comparison, and would lose a field: stopped before it does': async (
    desk,
  ) => {
    await isBorn(desk, born('stars'))
    const file = await desk.file(
      lightCrd('stars', [
        { name: 'v1beta1', fields: both },
        { name: 'v1', storage: true },
      ]),
    )
    const plain = lights('stars', 'v1alpha1', 30, { color: 'red' })
    await desk.operator.good(['replace', '-f', '-'], plain)
    const { code, reports } = await desk.upgrade([file], {
      onLine: (line) => {
        if (!line.includes('rewrite every object') || line.includes('\n')) return
        desk.now(['replace'], lights('stars', 'v1beta1', 1, bright))
      },
    })
    assert.deepEqual([code, reports[0].result], [1, 'lossy'], JSON.stringify(reports))
    assert.match(reports[0].because, /spec\.watts/)
    const specs = (await desk.objects('stars', 'v1alpha1')).map(({ spec }) => spec)
    assert.deepEqual(specs[0], bright)
  },

  'the first object is created after the plan: aborted before anything is written': async (desk) => {
    await desk.install(born('lasers'))
    const { code, reports } = await desk.upgrade([await desk.file(newest('lasers'))], {
      onLine: (line) => {
        if (!line.includes('apply a bridge') || line.includes('\n')) return
        desk.now(['create'], lights('lasers', 'v1alpha1', 1, bright))
      },
    })
    assert.deepEqual([code, reports[0].result], [4, 'aborted'], JSON.stringify(reports))
    assert.match(reports[0].because, /were created since the plan/)
    assert.deepEqual(versionsOf(await desk.crd(`lasers.${group}`)), ['v1alpha1*', 'v1beta1'])
  },

  'a controller reverts the bridge: aborted, with its name': async (desk) => {
    const crd = born('lanterns')
    await isBorn(desk, crd)
    const file = await desk.file(newest('lanterns'))
    const { code, reports } = await desk.upgrade([file], {
      onLine: (line) => {
        if (!line.includes('rewrite every object') || line.includes('\n')) return
        const forced = ['--server-side', '--force-conflicts', '--field-manager=argocd-controller']
        desk.now(['apply', ...forced], crd)
      },
    })
    assert.deepEqual([code, reports[0].result], [4, 'aborted'])
    assert.match(
      reports[0].because,
      /^argocd-controller \(Apply, .*\) reverted lanterns\.light\.example\.dev to what it was before/,
    )
    assert.deepEqual(versionsOf(await desk.crd(`lanterns.${group}`)), ['v1alpha1*', 'v1beta1'])
  },

  'another client changes the CRD: aborted, and its change stays': async (desk) => {
    const crd = born('beams')
    await isBorn(desk, crd)
    const changed = lightCrd('beams', [{ name: 'v1alpha1', fields: ['color'], storage: true }])
    const { code, reports } = await desk.upgrade([await desk.file(newest('beams'))], {
      onLine: (line) => {
        if (line.includes('apply a bridge') && !line.includes('\n')) desk.now(['replace'], changed)
      },
    })
    assert.deepEqual([code, reports[0].result], [4, 'aborted'], JSON.stringify(reports))
    assert.match(reports[0].because, /changed beams\.light\.example\.dev meanwhile/)
    assert.deepEqual(versionsOf(await desk.crd(`beams.${group}`)), ['v1alpha1*'])
  },

  'another client deletes the CRD before the objects are rewritten: aborted, and it is not created again':
    async (desk) => {
      const crd = born('glows')
      await isBorn(desk, crd)
      const name = `glows.${group}`
      const { code, reports } = await desk.upgrade([await desk.file(newest('glows'))], {
        onLine: (line) => {
          if (!line.includes('rewrite every object') || line.includes('\n')) return
          desk.now(['delete', '--timeout=60s'], crd)
        },
      })
      assert.deepEqual([code, reports[0].result], [4, 'aborted'], JSON.stringify(reports))
      assert.match(reports[0].because, /glows\.light\.example\.dev (?:is gone|was deleted)/)
      const { status } = await desk.operator.ask(
        'GET',
        `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`,
      )
      assert.equal(status, 404)
    },

  'the answer to the question is no: nothing is written': async (desk) => {
    const before = await isBorn(desk, born('sunsets'))
    const crd = await desk.crd(`sunsets.${group}`)
    const file = await desk.file(newest('sunsets'))
    const { code, reports, warned } = await desk.upgrade([file], { answer: 'n' })
    assert.deepEqual([code, reports[0].result, reports[0].because], [1, 'not done', 'it was not confirmed'])
    assert.match(warned, /^nothing was changed$/m)
    assert.deepEqual(await desk.crd(`sunsets.${group}`), crd)
    assert.deepEqual(await desk.objects('sunsets', 'v1alpha1'), before)
    const sure = await desk.upgrade([file], { answer: 'y' })
    assert.deepEqual([sure.code, sure.reports[0].result], [0, 'upgraded'])
  },

  'a field would be lost: stopped, and gone only when that is accepted and saved': async (desk) => {
    await isBorn(desk, born('bulbs'))
    const file = await desk.file(
      lightCrd('bulbs', [
        { name: 'v1beta1', fields: both },
        { name: 'v1', storage: true },
      ]),
    )
    const stopped = await desk.upgrade([file])
    const [report] = stopped.reports
    assert.deepEqual([stopped.code, report.result], [1, 'lossy'])
    const [{ kind, path, objects, accepted }] = report.losses
    assert.deepEqual([kind, path, objects, accepted], ['lost', 'spec.watts', 30, false])
    assert.deepEqual(versionsOf(await desk.crd(`bulbs.${group}`)), ['v1alpha1*', 'v1beta1'])

    const other = await desk.upgrade([file, '--accept-loss', 'spec.color'])
    assert.deepEqual([other.code, other.reports[0].result], [1, 'lossy'])
    assert.match(
      other.warned,
      /^--accept-loss spec\.color: nothing that was compared is lost at spec\.color$/m,
    )
    assert.equal(other.reports[0].savedObjects, undefined)
    const { code, reports } = await desk.upgrade([file, '--accept-loss', 'spec.watts'])
    assert.deepEqual([code, reports[0].result], [0, 'upgraded'], JSON.stringify(reports))
    assert.equal(statSync(reports[0].savedObjects).mode & 0o777, 0o600)
    const saved = readFileSync(reports[0].savedObjects, 'utf8').trim().split('\n')
    assert.deepEqual([saved.length, JSON.parse(saved[0] ?? '').spec], [30, bright])
    assert.deepEqual((await desk.objects('bulbs', 'v1')).map(({ spec }) => spec)[0], { color: 'red' })
  },

  'a webhook that does not answer: the bridge is taken back': async (desk) => {
    await isBorn(desk, born('flares'))
    const original = await desk.crd(`flares.${group}`)
    const versions = [
      { name: 'v1alpha1', fields: both },
      { name: 'v2', fields: both, storage: true },
    ]
    const wanted = lightCrd('flares', versions, {
      webhook: { url: 'https://127.0.0.1:1/convert' },
    })
    const { code, reports } = await desk.upgrade([await desk.file(wanted)], { speed: 20 })
    assert.deepEqual([code, reports[0].result], [1, 'stopped'], JSON.stringify(reports))
    assert.match(reports[0].because, /the conversion webhook did not answer for every object/)
    assert.match(reports[0].next, /the bridge was taken back/)
    const crd = await desk.crd(`flares.${group}`)
    assert.deepEqual([crd.spec, crd.status.storedVersions], [original.spec, ['v1alpha1']])
  },

  'no common version: the webhook of the new file converts every object': async (desk) => {
    const certificates = await createCertificates()
    const webhook = await WebhookProcess.start(certificates)
    try {
      const caBundle = Buffer.from(certificates.ca).toString('base64')
      const sized = lightCrd('tubes', [{ name: 'v1', fields: ['size'], storage: true }])
      await desk.install(sized)
      await desk.operator.good(['create', '-f', '-'], lights('tubes', 'v1', 30, { size: '7' }))
      const versions = [{ name: 'v2', fields: ['length'], storage: true }]
      const at = (url: string) => lightCrd('tubes', versions, { webhook: { url, caBundle } })
      const file = await desk.file(at(`${webhook.origin}/convert`))
      const { code, reports } = await desk.upgrade([file])
      const [{ plan, result, proof }] = reports
      assert.deepEqual([code, result, proof], [0, 'upgraded', 'proven'], JSON.stringify(reports))
      const steps = plan.steps.map((step: Json) => step.do)
      assert.deepEqual(steps, ['bridge', 'ask', 'bridge', 'migrate', 'prune', 'apply'])
      const crd = await desk.crd(`tubes.${group}`)
      assert.deepEqual([versionsOf(crd), crd.status.storedVersions], [['v2*'], ['v2']])
      const specs = (await desk.objects('tubes', 'v2')).map(({ spec }) => spec)
      assert.deepEqual(specs, Array(30).fill({ length: '7' }))
    } finally {
      await webhook.kill()
      await certificates.remove()
    }
  },

  'a webhook drops a field: stopped before an object is rewritten, or as soon as the file is applied': async (
    desk,
  ) => {
    const certificates = await createCertificates()
    const webhook = await WebhookProcess.start(certificates)
    try {
      const caBundle = Buffer.from(certificates.ca).toString('base64')
      const more = { webhook: { url: `${webhook.origin}/convert/forget`, caBundle } }
      const only = (name: string) => [{ name, fields: both, storage: true }]
      const before = await isBorn(desk, lightCrd('embers', only('v1')))
      const file = await desk.file(lightCrd('embers', only('v2'), more))
      const stopped = await desk.upgrade([file])
      const [report] = stopped.reports
      assert.deepEqual([stopped.code, report.result], [1, 'lossy'], JSON.stringify(report))
      assert.match(report.because, /webhook does not keep fields .* to v2 and back: spec\.watts$/)
      assert.match(report.next, /^the storage version is v1 again; .*--accept-loss "spec\.watts"$/)
      const crd = await desk.crd(`embers.${group}`)
      assert.deepEqual(versionsOf(crd), ['v1*', 'v2'])
      assert.deepEqual(await desk.objects('embers', 'v1'), before)
      const { code, reports } = await desk.upgrade([file, '--accept-loss', 'spec.watts'])
      assert.deepEqual([code, reports[0].result], [0, 'upgraded'], JSON.stringify(reports))

      const two = (storage: string) =>
        ['v1', 'v2'].map((name) => ({ name, fields: both, storage: name === storage }))
      await isBorn(desk, lightCrd('matches', two('v1'), more))
      const match = await desk.file(lightCrd('matches', two('v2'), more))
      await desk.killedAt('compare every object with what the conversion webhook keeps', [match])
      const ended = await desk.upgrade([match])
      assert.deepEqual([ended.code, ended.reports[0].result], [1, 'stopped'], JSON.stringify(ended))
      assert.match(ended.reports[0].because, /ended before it had compared/)
      assert.equal((await desk.upgrade([match, '--back'])).code, 0)
      const moving = await desk.upgrade([match])
      assert.deepEqual([moving.code, moving.reports[0].result], [1, 'lossy'], JSON.stringify(moving))
      assert.deepEqual(versionsOf(await desk.crd(`matches.${group}`)), ['v1*', 'v2'])
    } finally {
      await webhook.kill()
      await certificates.remove()
    }
  },

  'installed by Helm: written in its name, and its marks stay': async (desk) => {
    const annotations = { 'meta.helm.sh/release-name': 'light', 'meta.helm.sh/release-namespace': 'default' }
    const before = await isBorn(desk, born('spots', { annotations }), ['create', '--field-manager=helm'])
    const { code, reports } = await desk.upgrade([await desk.file(newest('spots'))])
    assert.deepEqual([code, reports[0].fieldManager], [0, 'helm'], JSON.stringify(reports))
    assert.match(reports[0].managedBy[0], /^Helm: release light in namespace default/)
    const crd = await desk.crd(`spots.${group}`)
    assert.deepEqual(ownersOf(crd), ['helm Update', 'kube-apiserver Update'])
    assert.deepEqual(crd.metadata.annotations, annotations)
    assert.deepEqual(await desk.objects('spots', 'v1'), before)
  },

  'two CRDs: the one that cannot go stops the other before anything is written': async (desk) => {
    await isBorn(desk, born('flames'))
    const scope = newest('flames')
    const file = await desk.file({ ...scope, spec: { ...scope.spec, scope: 'Cluster' } })
    const other = await desk.file(newest('fuses'))
    const { code, reports } = await desk.upgrade([file, other])
    assert.equal(code, 1)
    assert.deepEqual(
      reports.map(({ definition, result }) => [definition, result]),
      [
        [`flames.${group}`, 'impossible'],
        [`fuses.${group}`, 'not done'],
      ],
    )
    assert.match(reports[0]?.because, /spec\.scope: Invalid value: "Cluster": field is immutable/)
    const { status } = await desk.operator.ask(
      ...(['GET', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/fuses.${group}`] as const),
    )
    assert.equal(status, 404)
  },
}

test('crd upgrade: CRDs born old, with objects in them, on a local server', async (t) => {
  await withServer('sqlite', (access) =>
    Operator.with(access, (operator) =>
      UpgradeDesk.with(operator, access, async (desk) => {
        for (const [name, scene] of Object.entries(scenes)) await t.test(name, (each) => scene(desk, each))
        const kept = readdirSync(join(desk.directory, 'state', 'strata', 'crds'))
        assert.equal(kept.length, 1, 'one cluster')
      }),
    ),
  )
})
