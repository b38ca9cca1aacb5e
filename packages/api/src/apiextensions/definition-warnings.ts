import type { Schema } from '../machinery/schema.ts'
import { supportedFormat } from '../machinery/structural/formats.ts'
import type { CustomResourceDefinition } from './custom-resource-definition.ts'
import { internalSpec, schemasOf } from './internal-spec.ts'
import { hasSchema } from './validation/walk-schema.ts'

/** Warns about formats that are accepted and not validated. Formats that the stored CRD has cause no new warning. */
export function definitionWarnings(
  definition: CustomResourceDefinition,
  stored: CustomResourceDefinition | undefined,
): readonly string[] {
  const before = stored ? unknownFormats(stored) : new Set<string>()
  return [...unknownFormats(definition)]
    .filter((format) => !before.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`)
}

function unknownFormats({ spec }: CustomResourceDefinition): ReadonlySet<string> {
  const found = new Set<string>()
  for (const schema of schemasOf(internalSpec(spec))) {
    hasSchema(schema, (each) => {
      if (each.format && supportedFormat(each as Schema) === undefined) found.add(each.format)
      return false
    })
  }
  return found
}
