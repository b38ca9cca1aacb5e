import { createCommands } from '@strata/cli'
import { silentLog } from '@strata/world'
import { createNodeWorld } from '@strata/world/node'
import type { Command } from 'commander'

/** The program with every command and flag, to be looked at and not run. */
export const loadAllCommands = (): Promise<Command> =>
  createCommands(
    {
      ...{ world: createNodeWorld({ log: silentLog }), signal: new AbortController().signal },
      ...{ environment: {}, print: () => {}, isTerminal: false, screen: undefined, execPath: '', entry: '' },
    },
    () => {},
  )
