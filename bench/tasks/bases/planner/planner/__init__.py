"""Appointments."""
