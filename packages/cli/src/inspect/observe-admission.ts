import type { ApiObject, GroupResource } from '@strata/api'
import { type Client, type DiscoveredResource, preferredResources } from '@strata/client'
import type { NamedBy } from './resource-facts.ts'

/** What one webhook or policy is called for. */
export interface AdmissionRules {
  /** `validatingwebhookconfigurations/guard`. */
  readonly name: string
  readonly rules: readonly AdmissionRule[]
}

interface AdmissionRule {
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly resources?: readonly string[]
}

interface AdmissionObject extends ApiObject {
  readonly webhooks?: readonly { readonly rules?: readonly AdmissionRule[] }[]
  readonly spec?: { readonly matchConstraints?: { readonly resourceRules?: readonly AdmissionRule[] } }
}

const kinds = [
  'validatingwebhookconfigurations',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'mutatingadmissionpolicies',
]

/** Every webhook and policy of the kinds that the cluster serves. */
export async function observeAdmission(
  client: Client,
  served: readonly DiscoveredResource[],
  signal: AbortSignal,
): Promise<readonly AdmissionRules[]> {
  const group = 'admissionregistration.k8s.io'
  const offered = preferredResources(served).filter(
    (each) => each.group === group && kinds.includes(each.resource),
  )
  const found: AdmissionRules[] = []
  for (const each of offered) {
    const { items } = await client.resource<AdmissionObject>(each).list({}, signal)
    for (const { metadata, webhooks = [], spec } of items) {
      const rules = [
        ...webhooks.flatMap((hook) => hook.rules ?? []),
        ...(spec?.matchConstraints?.resourceRules ?? []),
      ]
      found.push({ name: `${each.resource}/${metadata.name}`, rules })
    }
  }
  return found
}

/** Those that name exactly one version of the resource: when it goes, they are called for no version. */
export function singleVersionRules(
  { group, resource }: GroupResource,
  admission: readonly AdmissionRules[],
): readonly NamedBy[] {
  return admission.flatMap(({ name, rules }) => {
    const about = rules.filter(
      ({ apiGroups = [], resources = [] }) =>
        (apiGroups.includes('*') || apiGroups.includes(group)) &&
        resources.some((each) => ['*', '*/*', resource, `${resource}/*`].includes(each)),
    )
    const versions = [...new Set(about.flatMap(({ apiVersions = [] }) => apiVersions))]
    const [version] = versions
    return version === undefined || version === '*' || versions.length > 1 ? [] : [{ version, name }]
  })
}
