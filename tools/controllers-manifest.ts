// `node tools/controllers-manifest.ts` writes what `strata controllers install` applies, from the chart as it is rendered;
// controllers-manifest.test.ts compares the two.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { renderedFolder } from './package/chart/renderings.ts'
import { root } from './repository.ts'

export const controllersManifest = join(root, 'packages/cli/src/controllers-install/manifest.json')

interface Rendered {
  readonly kind: string
  readonly metadata: { readonly labels: Readonly<Record<string, string>> }
  readonly spec?: { readonly template?: Rendered }
}

/** What others refer to comes before them. A cluster may lack the CRD of ServiceMonitors, so there is none. */
const order = [
  ...['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding', 'Service'],
  ...['NetworkPolicy', 'PodDisruptionBudget', 'Deployment'],
]

export function renderControllersManifest(): string {
  const text = readFileSync(join(renderedFolder, 'controllers.yaml'), 'utf8')
  const rendered = parseAllDocuments(text).map((each): Rendered => each.toJS())
  const objects = order.flatMap((kind) => rendered.filter((each) => each.kind === kind)).map(ownLabels)
  return `${JSON.stringify(objects, undefined, 2)}\n`
}

/** Who installs them is not Helm: its next upgrade must not take them for its own. */
function ownLabels<T extends Partial<Rendered>>(object: T): T {
  const { metadata, spec } = object
  const { 'helm.sh/chart': _, ...labels } = metadata?.labels ?? {}
  const template = spec?.template === undefined ? {} : { template: ownLabels(spec.template) }
  return {
    ...object,
    metadata: { ...metadata, labels: { ...labels, 'app.kubernetes.io/managed-by': 'strata' } },
    ...(spec === undefined ? {} : { spec: { ...spec, ...template } }),
  }
}

if (import.meta.main) writeFileSync(controllersManifest, renderControllersManifest())
