// The pages of the app, as the sidebar, the palette and the tab's title name them.
import type { IconName } from '../parts/icon.tsx'

export const links: readonly { readonly to: string; readonly name: string; readonly icon: IconName }[] = [
  { to: '/', name: 'New thread', icon: 'plus' },
  { to: '/waiting', name: 'Waiting for you', icon: 'waiting' },
  { to: '/jobs', name: 'Jobs', icon: 'list' },
  { to: '/missions', name: 'Missions', icon: 'clock' },
  { to: '/memory', name: 'Memory', icon: 'book' },
  { to: '/tools', name: 'Tools', icon: 'wrench' },
  { to: '/activity', name: 'Activity', icon: 'chart' },
  { to: '/settings', name: 'Settings', icon: 'sliders' },
]
