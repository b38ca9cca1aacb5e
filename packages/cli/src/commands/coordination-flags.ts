import { type Command, Option } from 'commander'

const forms = ['report', 'vote'] as const
const guarantees = ['strict', 'loose'] as const

export interface CoordinationFlags {
  readonly storageVersionCoordination: (typeof forms)[number]
  readonly storageVersionGuarantee: (typeof guarantees)[number]
}

/** How a server takes part in the agreement on storage versions; each server of a fleet for itself. */
export function addCoordinationFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--storage-version-coordination <form>',
        'report: each server writes the version it prefers, and says so; vote: it writes the version that is selected, which moves when all servers want another',
      )
        .choices(forms)
        .default(forms[0]),
    )
    .addOption(
      new Option(
        '--storage-version-guarantee <guarantee>',
        'strict: the store refuses what is written by an outdated agreement; loose: a server that has not heard of the others for a minute stops writing',
      )
        .choices(guarantees)
        .default(guarantees[0]),
    )
}

export function coordinationOptions({
  storageVersionCoordination: form,
  storageVersionGuarantee: guarantee,
}: CoordinationFlags): { readonly form: 'report' | 'vote'; readonly guarantee: 'strict' | 'loose' } {
  return { form, guarantee }
}

/** The same as arguments, for servers that are started as processes. */
export function coordinationArgs(flags: CoordinationFlags): string[] {
  return [
    ...['--storage-version-coordination', flags.storageVersionCoordination],
    ...['--storage-version-guarantee', flags.storageVersionGuarantee],
  ]
}
