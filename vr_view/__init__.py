"""Looking at a scene from where it helps: viewpoints, hands, stereo images, the page."""
