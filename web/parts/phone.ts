// Windows as narrow as a phone: the width below which style sheets show one pane.

export const phone = matchMedia('(width < 720px)')
