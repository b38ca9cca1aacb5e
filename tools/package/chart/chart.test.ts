import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { printedRights, rolesOf } from '@strata/cli'
import { parse, parseAllDocuments } from 'yaml'
import { loadAllCommands } from '../../all-commands.ts'
import { root } from '../../repository.ts'
import { chartFolder, digestOfChart, renderedFolder, renderings } from './renderings.ts'
import { findTypeProblems } from './typed-object.ts'

interface Container {
  readonly args: readonly string[]
  readonly ports: readonly { readonly name: string }[]
  readonly securityContext: Readonly<Record<string, unknown>>
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
  readonly readinessProbe: object
  readonly livenessProbe: object
}
interface PodSpec {
  readonly containers: readonly Container[]
  readonly securityContext: Readonly<Record<string, unknown>>
  readonly volumes: readonly {
    readonly name: string
    readonly secret?: { readonly items?: readonly { readonly path: string }[] }
  }[]
  readonly automountServiceAccountToken: boolean
}
interface Rendered {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
  }
  // Narrowed by each test: the types are checked by findTypeProblems.
  // biome-ignore lint/suspicious/noExplicitAny: YAML of many kinds
  readonly spec?: any
  readonly rules?: readonly { readonly verbs: readonly string[]; readonly resources?: readonly string[] }[]
}

const load = (name: string): readonly Rendered[] =>
  parseAllDocuments(readFileSync(join(renderedFolder, `${name}.yaml`), 'utf8')).map((each) => each.toJS())
const workloads = (objects: readonly Rendered[]) =>
  objects.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
const podOf = ({ spec }: Rendered): PodSpec => spec.template.spec
const objects = Object.keys(renderings).flatMap(load)

test('what is rendered is of this chart (node tools/package/chart/render.ts renders it, with helm)', () => {
  assert.equal(readFileSync(join(renderedFolder, 'chart.sha256'), 'utf8').trim(), digestOfChart())
})

test('the chart has the version of the release', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const chart = parse(readFileSync(join(chartFolder, 'Chart.yaml'), 'utf8'))
  assert.deepEqual([chart.version, chart.appVersion], [version, version])
})

describe('what the chart renders', () => {
  test('has no field that the types of Kubernetes do not know, and none of another type', () => {
    const builtIn = objects.filter(({ kind }) => kind !== 'ServiceMonitor')
    assert.equal(builtIn.length, 21)
    for (const each of builtIn)
      assert.deepEqual(findTypeProblems(`V1${each.kind}`, each), [], each.metadata.name)
  })

  test('a check of types finds an unknown field, and a wrong type', () => {
    const wrong = {
      kind: 'Deployment',
      spec: { replica: 1, replicas: 'two', template: { spec: { containers: {} } } },
    }
    assert.deepEqual(findTypeProblems('V1Deployment', wrong), [
      'spec.replica: V1DeploymentSpec has no such field',
      'spec.replicas: not a number',
      'spec.template.spec.containers: not a list',
    ])
  })

  test('pods run as a user without rights, on a file system that they cannot write', () => {
    for (const workload of workloads(objects)) {
      const { containers, securityContext } = podOf(workload)
      assert.deepEqual(
        [securityContext['runAsNonRoot'], securityContext['seccompProfile']],
        [true, { type: 'RuntimeDefault' }],
      )
      for (const container of containers) {
        assert.deepEqual(container.securityContext, {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        assert.ok(container.readinessProbe && container.livenessProbe)
      }
    }
  })

  test('only the controllers of the cluster have a token for it', () => {
    const token = workloads(objects).map((each) => podOf(each).automountServiceAccountToken)
    assert.deepEqual(token, [true, false, false])
  })

  test('no right to delete, and none to create objects other than those of migrations', () => {
    const rules = objects.flatMap((each) => each.rules ?? [])
    const creates = rules
      .filter(({ verbs }) => verbs.includes('create'))
      .flatMap(({ resources = [] }) => resources)
    assert.deepEqual(creates, [
      ...['storagecensuses', 'storagereencodes'],
      ...['storagestates'],
      ...['storageversionmigrations'],
      ...['customresourcedefinitions', 'events', 'leases'],
    ])
    const deletes = rules
      .filter(({ verbs }) => verbs.includes('delete'))
      .flatMap(({ resources = [] }) => resources)
    assert.ok(
      deletes.every((each) => /^storage(?:states|versionmigrations)/.test(each)),
      String(deletes),
    )
    assert.ok(rules.every(({ verbs }) => !verbs.includes('*')))
  })

  test('selectors of Services, budgets and policies find their pods, and no others', () => {
    for (const name of Object.keys(renderings)) {
      const all = load(name)
      const found = all.flatMap(({ kind, metadata, spec }) => {
        const selector = {
          Service: spec?.selector,
          PodDisruptionBudget: spec?.selector?.matchLabels,
          NetworkPolicy: spec?.podSelector?.matchLabels,
        }[kind]
        if (selector === undefined) return []
        const pods = workloads(all).filter((each) =>
          Object.entries(selector).every(([key, value]) => each.spec.template.metadata.labels[key] === value),
        )
        return [[metadata.name.replace(/-pods$/, ''), pods.map((each) => each.metadata.name).join()]]
      })
      assert.equal(found.length, name === 'fleet' ? 7 : 3)
      for (const [expected, selected] of found) assert.equal(selected, expected)
    }
  })

  test('a ServiceMonitor finds one Service, by a port that it has, and nothing that the operator does not know', () => {
    for (const name of Object.keys(renderings)) {
      const all = load(name)
      const monitors = all.filter(({ kind }) => kind === 'ServiceMonitor')
      assert.equal(monitors.length, name === 'fleet' ? 2 : 1)
      for (const { apiVersion, metadata, spec } of monitors) {
        assert.equal(apiVersion, 'monitoring.coreos.com/v1')
        assert.deepEqual(unknownFields(spec, monitorFields), [])
        const services = all.filter((each) => isSelected(each, spec.selector) && each.kind === 'Service')
        assert.deepEqual(
          services.map((each) => [each.metadata.name, each.metadata.namespace]),
          [[metadata.name, metadata.namespace]],
        )
        const ports: readonly { readonly name: string }[] = services[0]?.spec.ports
        for (const { port } of spec.endpoints)
          assert.ok(
            ports.some((each) => each.name === port),
            port,
          )
      }
    }
  })

  test('the flags of the pods are flags of the command, and the files that they name are mounted', async () => {
    const program = await loadAllCommands()
    for (const workload of workloads(objects)) {
      const { containers, volumes } = podOf(workload)
      for (const { args, volumeMounts } of containers) {
        const [name, ...flags] = args
        const command = program.commands.find((each) => each.name() === name)
        for (const flag of flags) {
          const [long = '', value = ''] = flag.split(/=(.*)/s)
          assert.ok(
            command?.options.some((option) => option.long === long),
            `${name} ${flag}`,
          )
          if (!value.startsWith('/')) continue
          assert.ok(
            volumeMounts.some(({ mountPath }) => value.startsWith(mountPath)),
            `${name} ${flag}`,
          )
        }
        for (const mount of volumeMounts)
          assert.ok(
            volumes.some((volume) => volume.name === mount.name),
            mount.name,
          )
      }
    }
  })
})

/** The fields of a ServiceMonitor that the chart may use, as the CRD of monitoring.coreos.com/v1 has them. */
const monitorFields = new Set([
  ...['selector', 'selector.matchLabels', 'selector.matchExpressions', 'endpoints', 'endpoints.port'],
  ...['endpoints.scheme', 'endpoints.interval', 'endpoints.path', 'endpoints.authorization'],
  ...['endpoints.authorization.credentials', 'endpoints.tlsConfig', 'endpoints.tlsConfig.serverName'],
  ...['endpoints.tlsConfig.ca', 'endpoints.tlsConfig.ca.secret'],
])
/** Below these the keys are those of labels, of a requirement, or of a Secret. */
const ofOthers =
  /^(?:selector\.match\w+|endpoints\.authorization\.credentials|endpoints\.tlsConfig\.ca\.secret)$/

function unknownFields(value: unknown, known: ReadonlySet<string>, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => unknownFields(each, known, path))
  if (typeof value !== 'object' || value === null || ofOthers.test(path)) return []
  return Object.entries(value).flatMap(([field, each]) => {
    const at = path === '' ? field : `${path}.${field}`
    return known.has(at) ? unknownFields(each, known, at) : [at]
  })
}

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: string }[]
}

function isSelected({ metadata }: Rendered, { matchLabels = {}, matchExpressions = [] }: Selector): boolean {
  const { labels = {} } = metadata
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator }) => {
      assert.equal(operator, 'DoesNotExist')
      return labels[key] === undefined
    })
  )
}

test('the controllers get what strata rbac controllers prints, and may read discovery', () => {
  const withoutDiscovery = (rules: Rendered['rules'] = []) =>
    rules.filter(({ resources }) => resources !== undefined).map((each) => JSON.stringify(sortedFields(each)))
  const printed = rolesOf('any', printedRights(['controllers']), []) as readonly Rendered[]
  for (const kind of ['ClusterRole', 'Role']) {
    const [granted] = load('controllers').filter((each) => each.kind === kind)
    const [wanted] = printed.filter((each) => each.kind === kind)
    assert.deepEqual(withoutDiscovery(granted?.rules).sort(), withoutDiscovery(wanted?.rules).sort())
  }
})

const sortedFields = (rule: object): object =>
  Object.fromEntries(
    Object.entries(rule)
      .map(([field, values]) => [field, [...values].sort()])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  )
