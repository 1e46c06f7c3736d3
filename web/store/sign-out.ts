// Signing out: the next person at this browser finds nothing of the user.
import { request } from '../api/client.ts'
import { endNotice } from './notices.ts'
import { disableHere } from './notifications.ts'
import { leaveWindows } from './session.ts'

/** Ends this session, or all of this user's. */
export async function signOut(everywhere = false): Promise<void> {
  // What waits for its undo to pass needs the session.
  endNotice()
  if ('serviceWorker' in navigator) await leaveDevice()
  await request('POST', '/api/logout', { body: { everywhere } })
  leaveWindows()
}

/** Keeps the news of this user from the next user of this device. Signing out goes on if this fails. */
async function leaveDevice(): Promise<void> {
  try {
    const registration = await navigator.serviceWorker.getRegistration('/')
    if (!registration) return
    for (const shown of await registration.getNotifications()) shown.close()
    await disableHere()
  } catch {
    // Offline, or without a push service.
  }
}
