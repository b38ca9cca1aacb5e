import { type CustomResourceDefinition, versionsOf } from '@strata/api'
import type { CrdStep } from './crd-plan.ts'

type Bridge = CrdStep & { readonly do: 'bridge' }

/** The spec of a CRD between two: the live one with what the step adds. */
export function bridgeSpec(
  live: CustomResourceDefinition,
  wanted: CustomResourceDefinition,
  { versions, storage, serve, conversion }: Bridge,
): CustomResourceDefinition['spec'] {
  const known = new Map([...versionsOf(wanted), ...versionsOf(live)].map((each) => [each.name, each]))
  const source = conversion === 'live' ? live.spec.conversion : wanted.spec.conversion
  return {
    ...live.spec,
    versions: versions.flatMap((name) => {
      const found = known.get(name)
      return found === undefined
        ? []
        : [{ ...found, served: found.served || name === serve, storage: name === storage }]
    }),
    conversion: source ?? { strategy: 'None' },
  }
}
