"""Every element name of SDFormat 1.6 to 1.12, to tell an unused element from a misspelt one.

Collected from the specification's schema files; a test compares them with the installed ones.
"""

_NAMES = """
acceleration accuracy actor air_pressure albedo_map allow_auto_disable altimeter always_on ambient
ambient_occlusion_map angle angular angular_velocity animation anti_aliasing aspect_ratio
atmosphere attach_steps attenuation audio audio_sink audio_source auto auto_inertia_params
auto_start axis axis2 background battery bias_mean bias_stddev blend bone_attachment bounce box
box_type bullet c1 c2 c3 camera camera_info_topic capsule cast_shadows category_bitmask center cfm
cfm_damping child clip clouds coefficient collide_bitmask collide_without_contact
collide_without_contact_bitmask collision collision_detector color color_end color_range_image
color_start cols cone constant constraints contact contact_max_correcting_vel
contact_surface_layer convex_decomposition custom_function custom_rpy cutoff_angle cx cy cylinder
damping dart delay_start deletions dem_lod density depth_camera detach_steps device diffuse
direction dissipation distortion distribution double_sided duration dynamic_bias_correlation_time
dynamic_bias_stddev dynamic_friction dynamics effort elastic_modulus elevation ellipsoid emissive
emissive_map emitting empty enable_metrics enable_orientation enable_wind end env_texture_size
environment_map erp essid f fade_dist falloff far far_clip fdir1 filename flesh_mass_fraction
fluid_added_mass fog force force_torque format fov frame frequency friction friction2
friction_model fudge_factor fun fx fy gain gearbox_ratio gearbox_reference_body geometry
glossiness glossiness_map gps granularity grasp_check grav_dir_x gravity grid gripper gripper_link
gui heading_deg height heightmap horizontal horizontal_fov humidity image implicit_spring_damper
imu include inertia inertial inherit_yaw initial_position inner_angle insertions intensity
interpolate_x intrinsics island_threads iterations iters ixx ixy ixz iyy iyz izz joint k1 k2 k3 kd
kinematic kp laser_retro latitude_deg layer length lens lidar lifetime light light_map light_on
lighting limit linear linear_acceleration linear_velocity link localization logical_camera
longitude_deg loop lower magnetic_field magnetometer mass material max max_angle max_contacts
max_convex_hulls max_dist max_force max_frequency max_step_size max_transient_velocity max_vel
max_velocity mean mean_size measure_direction mesh meta metal metalness metalness_map mimic min
min_angle min_contact_count min_depth min_dist min_frequency min_height min_step_size min_velocity
model model_count mu mu2 must_be_base_link must_be_loop_joint name navsat near near_clip noise
normal normal_map ode optical_frame_id orientation_reference_frame origin_visual outer_angle
output override_impact_capture_velocity override_stiction_transition_velocity p1 p2 palm_link
parent particle_emitter particle_scatter_ratio particle_size patch_radius path pbr physics pitch
placement_frame plane plastic_coef_restitution plastic_impact_velocity plugin point poissons_ratio
polarization polyline population pos pose position_sensing power precision precon_iters pressure
projection projection_type projector provide_feedback quadratic radii radius range rate
raw_encoding ray real_time real_time_factor real_time_update_rate reference_altitude render_order
resolution restitution_coefficient rfid rfidtag road rolling_friction rotor_name roughness
roughness_map rows s samples sampling save scale scale_rate scale_to_hfov scan scene
screw_thread_pitch script sdf segmentation_type self_collide sensitivity sensor shader shadows
shininess sim_time simbody size skin sky slip slip1 slip2 soft_cfm soft_contact soft_erp solver
solver_type sonar sor specular specular_map speed sphere spherical_coordinates split_impulse
split_impulse_penetration_threshold spot spring_reference spring_stiffness start state static
static_friction stddev step stiffness submesh sunrise sunset surface surface_model surface_radius
suspension temperature temperature_gradient texture thread_pitch thread_position_correction
threshold time topic torque torsional track_visual trajectory transceiver transparency
trigger_topic triggered tx ty type update_rate upper uri use_dynamic_moi_rescaling use_model_frame
use_parent_model_frame use_patch_radius use_terrain_paging velocity velocity_decay
velocity_sensing vertical vertical_position vertical_velocity view_controller viscous_friction
visibility_flags visibility_mask visual visualize voltage voxel_resolution wall_time waypoint
width wind world world_frame_orientation wrench x xyz y z
"""

SDF_NAMES = frozenset(_NAMES.split())
