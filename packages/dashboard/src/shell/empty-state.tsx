import type { ComponentChildren } from 'preact'
import { useApp } from './app-context.ts'

/** When there is no fleet to show: what can be known, and what to do. */
export const EmptyState = () => {
  const { sight, session } = useApp()
  const state = sight.value
  switch (state.kind) {
    case 'connecting':
      return (
        <Notice title="Reading the agreement records">
          {state.problem !== undefined && <p class="problem">No server answers yet: {state.problem}</p>}
        </Notice>
      )
    case 'refused':
      return (
        <Notice title={`${session.user === '' ? 'This user' : session.user} may not read this fleet`}>
          <p>Missing: the rights to list and watch</p>
          <ul>
            {state.resources.map((each) => (
              <li key={each}>
                <code>{each}</code>
              </li>
            ))}
          </ul>
          <p>
            An administrator can grant them: <code>strata rbac dashboard</code> prints the roles. This page
            notices it by itself.
          </p>
        </Notice>
      )
    case 'foreign':
      return (
        <Notice title="Its API servers are not Strata's">
          <p>
            Nothing here says which version each server writes, so no agreement can be shown. What objects are
            stored in can still be estimated from CRDs and StorageStates:
          </p>
          <Commands
            list={[
              ['strata inspect', 'what is stored'],
              ['strata verify --all', 'how well that is known'],
              ['strata check --to 1.37', 'can another release read it?'],
            ]}
          />
        </Notice>
      )
    case 'empty':
      return (
        <Notice title="Waiting for the first server">
          <p>No server has an identity Lease, and there are no agreement records. A fleet on this machine:</p>
          <Commands list={[['strata up', 'three servers and the controllers']]} />
        </Notice>
      )
    case 'fleet':
      return null
  }
}

const Notice = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <div class="notice">
    <h2>{title}</h2>
    {children}
  </div>
)

const Commands = ({ list }: { readonly list: readonly (readonly [command: string, what: string])[] }) => (
  <dl class="commands">
    {list.map(([command, what]) => (
      <div key={command}>
        <dt>
          <code>{command}</code>
        </dt>
        <dd>{what}</dd>
      </div>
    ))}
  </dl>
)
