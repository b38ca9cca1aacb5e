import type { Command } from 'commander'
import { collect } from '../options/duration.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'

/** What a server does and serves, by upstream's flags. */
export interface ApiFlags {
  readonly featureGates: readonly string[]
  readonly runtimeConfig: readonly string[]
}

export function addApiFlags(command: Command): Command {
  return command
    .option(
      '--feature-gates <gates>',
      `pairs of name=true or name=false, separated by commas; may be repeated. There are:
StorageVersionAPI (default: true): record what is written in which version, and fence writes by it;
APIServerIdentity (default: true): have an identity Lease, which StorageVersionAPI needs;
StorageVersionHash (default: true): show in discovery which version each resource is stored in;
EnableCoordinatedDiscoveryDocument (default: false): say in discovery whether all servers have the same;
AgreedServing (default: false): serve only what every server serves`,
      collect,
      [],
    )
    .option(
      '--runtime-config <pairs>',
      `which APIs of the program are served, as pairs separated by commas; may be repeated:
<group>/<version>=true|false (/v1 for the core group), <group>/<version>/<resource>=true|false,
api/all, api/ga, api/beta, api/alpha=true|false. All are on by default, also v1alpha1`,
      collect,
      [],
    )
}

export function joined(pairs: readonly string[]): string {
  return pairs.join(',')
}

/** The server's own reading, handed in: it is loaded only by commands that run one. */
export function readFeatureGates<Gates extends object>(
  given: readonly string[],
  parse: (text: string) => Gates | { readonly problem: string },
): Gates {
  const text = joined(given)
  const gates = parse(text)
  if ('problem' in gates) {
    throw new CliError(
      `invalid argument ${JSON.stringify(text)} for "--feature-gates" flag: ${gates.problem}`,
      exitCodes.usage,
    )
  }
  return gates
}
