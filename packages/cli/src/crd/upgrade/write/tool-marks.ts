import type { CustomResourceDefinition } from '@strata/api'

interface Mark {
  /** The key of a label or an annotation. */
  readonly key: RegExp
  /** What it says to people; undefined if it is only kept. */
  readonly text?: (value: string, all: Readonly<Record<string, string>>) => string
}

/** Labels and annotations by which tools find what they have installed. They stay, even if the new file lacks them. */
const marks: readonly Mark[] = [
  {
    key: /^meta\.helm\.sh\/release-name$/,
    text: (value, all) =>
      `Helm: release ${value} in namespace ${all['meta.helm.sh/release-namespace'] ?? '?'}; helm upgrade does not change CRDs of a chart's crds/ folder, and reverts those of its templates to the chart's release`,
  },
  { key: /^meta\.helm\.sh\// },
  { key: /^helm\.sh\// },
  { key: /^app\.kubernetes\.io\/(?:managed-by|instance)$/ },
  {
    key: /^argocd\.argoproj\.io\/(?:tracking-id|instance)$/,
    text: (value) =>
      `Argo CD: ${value}; with self-heal it reverts the CRD to what Git has: commit the new file, or pause the sync`,
  },
  { key: /^argocd\.argoproj\.io\// },
  {
    key: /^kustomize\.toolkit\.fluxcd\.io\/name$/,
    text: (value, all) =>
      `Flux: Kustomization ${all['kustomize.toolkit.fluxcd.io/namespace'] ?? '?'}/${value} reverts the CRD to what Git has: commit the new file, or run flux suspend kustomization ${value}`,
  },
  {
    key: /^helm\.toolkit\.fluxcd\.io\/name$/,
    text: (value, all) =>
      `Flux: HelmRelease ${all['helm.toolkit.fluxcd.io/namespace'] ?? '?'}/${value} may revert the CRD: run flux suspend helmrelease ${value}`,
  },
  { key: /^(?:kustomize|helm)\.toolkit\.fluxcd\.io\// },
  {
    key: /^olm\.managed$/,
    text: () => 'Operator Lifecycle Manager: it installs its own release of this CRD',
  },
  { key: /^(?:olm|operators\.coreos\.com)[./]/ },
]

/** Which tools regard the CRD as theirs, and what they may do to it. */
export function managingTools({ metadata }: CustomResourceDefinition): readonly string[] {
  const all = { ...metadata.labels, ...metadata.annotations }
  return Object.entries(all).flatMap(([key, value]) => {
    const mark = marks.find((each) => each.key.test(key))
    return mark?.text === undefined ? [] : [mark.text(value, all)]
  })
}

/** Those of a CRD, to put them beside the labels or annotations of a new file. */
export function keptMarks(
  given: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(given ?? {}).filter(([key]) => marks.some((each) => each.key.test(key))),
  )
}
