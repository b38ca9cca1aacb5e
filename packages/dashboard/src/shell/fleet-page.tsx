import { useEffect } from 'preact/hooks'
import type { ThemeChoice } from '../theme/theme-choice.ts'
import { TimelineStrip } from '../timeline/timeline-strip.tsx'
import { useApp } from './app-context.ts'
import { EmptyState } from './empty-state.tsx'
import { Header } from './header.tsx'
import { Help } from './help.tsx'
import { listenForKeys } from './listen-for-keys.ts'
import { PlaygroundPanel } from './playground/playground-panel.tsx'
import { Sentence } from './sentence.tsx'
import { ServersPanel } from './servers-panel.tsx'
import { Tabs } from './tabs.tsx'

interface Props {
  readonly theme: ThemeChoice
  readonly signOut: () => void
}

/** All that a user sees who is signed in. */
export const FleetPage = ({ theme, signOut }: Props) => {
  const app = useApp()
  const { session, sight, isHelpOpen, playground } = app
  useEffect(() => listenForKeys(app), [app])
  const isFleet = sight.value.kind === 'fleet'
  return (
    <>
      <a class="skip" href="#view">
        Skip to the view
      </a>
      <Header
        theme={theme}
        cluster={session.cluster}
        user={session.user}
        signOut={signOut}
        showHelp={() => (isHelpOpen.value = true)}
      />
      <Sentence />
      {/* Anew with the first data: nothing that is there already moves. */}
      <div class="columns" key={isFleet ? 'fleet' : 'empty'}>
        <aside class="side" aria-label="Servers">
          {isFleet && <ServersPanel />}
        </aside>
        <main class="main" id="view" tabIndex={-1}>
          <Tabs />
          <CurrentView isFleet={isFleet} />
        </main>
        {isFleet && playground && <PlaygroundPanel playground={playground} />}
      </div>
      {isFleet && <TimelineStrip />}
      <Help />
    </>
  )
}

const CurrentView = ({ isFleet }: { readonly isFleet: boolean }) => {
  const { views, route, sight } = useApp()
  const view = views.find(({ name }) => name === route.value.view)
  // Not before it is known what there is: the page would jump.
  const isConnecting = sight.value.kind === 'connecting'
  if (!isFleet && (isConnecting || view?.needsNoFleet !== true)) return <EmptyState />
  return view ? <view.Panel /> : null
}
