import type { VersionDefinition } from '../machinery/define-resource.ts'
import { cloneJson } from '../machinery/patch/json-value.ts'
import type { WebhookClientConfig } from '../machinery/webhook-client-config.ts'
import type { ApiObject } from '../meta/object.ts'
import type {
  CustomResourceColumnDefinition,
  CustomResourceConversion,
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
  CustomResourceDefinitionVersion,
} from './custom-resource-definition.ts'
import { applyDefinitionDefaults } from './definition-defaults.ts'
import { type InternalSpec, internalSpec } from './internal-spec.ts'
import { storedDefinitionSchema } from './stored-definition-schema.ts'

interface StoredColumn extends Omit<CustomResourceColumnDefinition, 'jsonPath'> {
  readonly JSONPath: string
}

interface StoredVersion extends Omit<CustomResourceDefinitionVersion, 'additionalPrinterColumns'> {
  readonly additionalPrinterColumns?: readonly StoredColumn[]
}

interface StoredConversion {
  readonly strategy: string
  readonly webhookClientConfig?: Readonly<WebhookClientConfig>
  readonly conversionReviewVersions?: readonly string[] | null
  /** Fields of `v1` that are newer than this release, and have no other place here. */
  readonly webhook?: Readonly<Record<string, unknown>>
}

interface StoredSpec
  extends Omit<InternalSpec, 'version' | 'versions' | 'additionalPrinterColumns' | 'conversion'> {
  readonly version?: string
  readonly versions: readonly StoredVersion[] | null
  readonly additionalPrinterColumns?: readonly StoredColumn[]
  readonly conversion?: StoredConversion | null
}

export interface StoredDefinition extends ApiObject {
  spec: StoredSpec
  status: CustomResourceDefinitionStatus
}

/**
 * `v1beta1`, as JSON: kube-apiserver still stores CRDs in it, though it has not served that version since 1.22. With the same
 * version here, each server can read what the other has stored, and both publish the same storage version hash.
 */
export const storedDefinitionVersion: VersionDefinition<StoredDefinition, CustomResourceDefinition> = {
  schema: storedDefinitionSchema,
  applyDefaults: applyStoredDefaults,
  toHub: ({ spec, ...rest }) => {
    const definition = { ...rest, spec: served(spec) }
    applyDefinitionDefaults(definition)
    return definition
  },
  fromHub: ({ spec, ...rest }) => ({ ...rest, spec: stored(spec) }),
}

/** Defaults that differ from `v1`: `v1beta1` began with a single version, and preserved unknown fields. In place. */
function applyStoredDefaults(definition: StoredDefinition): void {
  const { spec } = definition
  const { conversion } = spec
  const asksWebhook = conversion?.strategy === 'Webhook'
  definition.spec = {
    ...spec,
    scope: spec.scope === '' ? 'Namespaced' : spec.scope,
    versions:
      spec.versions?.length || !spec.version
        ? spec.versions
        : [{ name: spec.version, served: true, storage: true }],
    preserveUnknownFields: spec.preserveUnknownFields ?? true,
    ...(asksWebhook && !conversion.conversionReviewVersions?.length
      ? { conversion: { ...conversion, conversionReviewVersions: ['v1beta1'] } }
      : {}),
  }
}

function stored(spec: CustomResourceDefinitionSpec): StoredSpec {
  const { versions, conversion, additionalPrinterColumns: columns, ...rest } = internalSpec(spec)
  return {
    ...rest,
    versions: spec.versions && versions.map(storedVersion),
    ...(columns ? { additionalPrinterColumns: columns.map(storedColumn) } : {}),
    ...(conversion ? { conversion: storedConversion(conversion) } : {}),
    // Without it `true` would be meant.
    preserveUnknownFields: spec.preserveUnknownFields ?? false,
  }
}

function storedVersion({
  additionalPrinterColumns: columns,
  ...rest
}: CustomResourceDefinitionVersion): StoredVersion {
  return { ...rest, ...(columns ? { additionalPrinterColumns: columns.map(storedColumn) } : {}) }
}

function storedColumn({ jsonPath, ...rest }: CustomResourceColumnDefinition): StoredColumn {
  return { ...rest, JSONPath: jsonPath }
}

function storedConversion({ webhook, ...rest }: CustomResourceConversion): StoredConversion {
  if (!webhook) return rest
  const { clientConfig, conversionReviewVersions, ...newer } = webhook
  return {
    ...rest,
    ...(clientConfig ? { webhookClientConfig: clientConfig } : {}),
    ...(conversionReviewVersions?.length ? { conversionReviewVersions } : {}),
    ...(Object.keys(newer).length > 0 ? { webhook: newer } : {}),
  }
}

function served({
  version: _,
  versions,
  validation,
  subresources,
  additionalPrinterColumns,
  selectableFields,
  conversion,
  preserveUnknownFields,
  ...rest
}: StoredSpec): CustomResourceDefinitionSpec {
  const common: Common = {
    ...(validation ? { schema: validation } : {}),
    ...(subresources ? { subresources } : {}),
    ...(additionalPrinterColumns ? { additionalPrinterColumns } : {}),
    ...(selectableFields ? { selectableFields } : {}),
  }
  return {
    ...rest,
    versions: versions?.map((each, index) => servedVersion(each, common, index > 0)) ?? null,
    ...(conversion ? { conversion: servedConversion(conversion) } : {}),
    ...(preserveUnknownFields ? { preserveUnknownFields } : {}),
  }
}

type Common = Pick<StoredVersion, 'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields'>

function servedVersion(
  version: StoredVersion,
  common: Common,
  hasOthersBefore: boolean,
): CustomResourceDefinitionVersion {
  // Versions share no objects in the hub: a caller that changes one in place changes only that one.
  const { additionalPrinterColumns: columns, ...rest } = {
    ...version,
    ...(hasOthersBefore ? cloneJson(common) : common),
  }
  return { ...rest, ...(columns ? { additionalPrinterColumns: columns.map(servedColumn) } : {}) }
}

function servedColumn({ JSONPath, ...rest }: StoredColumn): CustomResourceColumnDefinition {
  return { ...rest, jsonPath: JSONPath }
}

function servedConversion({
  webhookClientConfig: clientConfig,
  conversionReviewVersions,
  webhook,
  ...rest
}: StoredConversion): CustomResourceConversion {
  // As upstream: a webhook without any field counts as absent.
  if (!clientConfig && !conversionReviewVersions?.length && !webhook) return rest
  return {
    ...rest,
    webhook: {
      ...(clientConfig ? { clientConfig } : {}),
      conversionReviewVersions: conversionReviewVersions ?? null,
      ...webhook,
    },
  }
}
