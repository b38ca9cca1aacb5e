import { type CustomResourceDefinition, withStorageVersion } from './custom-resource-definition.ts'

/** Fills in defaults that are computed from other fields, which a schema cannot express. Changes the object in place. */
export function applyDefinitionDefaults(definition: CustomResourceDefinition): void {
  const { spec } = definition
  const { names, conversion = { strategy: 'None' } } = spec
  const { singular = names.kind.toLowerCase(), listKind = names.kind === '' ? '' : `${names.kind}List` } =
    names
  const service = conversion.webhook?.clientConfig?.service
  if (service && service.port === undefined) service.port = 443
  definition.spec = {
    ...spec,
    names: { ...names, ...(singular === '' ? {} : { singular }), ...(listKind === '' ? {} : { listKind }) },
    conversion,
  }
  if (!definition.status.storedVersions?.length) definition.status = withStorageVersion(definition)
}
