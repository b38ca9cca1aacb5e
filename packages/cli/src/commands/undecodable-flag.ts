import type { Command } from 'commander'
import { collect } from '../options/duration.ts'

export interface UndecodableFlag {
  readonly allowUndecodableStorage: readonly string[]
}

/** What to serve though not all of it can be decoded (docs/upgrade-safety.md). */
export function addUndecodableFlag(command: Command): Command {
  return command.option(
    '--allow-undecodable-storage <resources>',
    'serve these even if objects are stored in versions that this release cannot decode, e.g. beacons.lighthouse.example.dev; separated by commas, may be repeated (default: such a resource is refused, and the server is not ready)',
    collect,
    [],
  )
}

/** For the servers that somebody else starts. */
export function undecodableArgs({ allowUndecodableStorage }: UndecodableFlag): string[] {
  return allowUndecodableStorage.flatMap((each) => ['--allow-undecodable-storage', each])
}
